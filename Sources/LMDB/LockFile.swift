import Glibc

/// lock.mdb, where readers and the writer tell each other of themselves through the memory map.
enum LockFile {
    /// Takes a whole cache line each (mdb.c, MDB_reader).
    private static let readerBytes = 64
    /// What stands in front of the readers (mdb.c, MDB_txninfo). liblmdb counts the readers by the length it finds.
    private static let headerBytes = 2 * 64

    /// Reserves the disk space of a lock file that is yet to be made.
    ///
    /// liblmdb only sets its length. On a full disk the first write to a page of it would then be SIGBUS and the end of
    /// the process, not an error.
    /// - Throws: `ENOSPC`, `EDQUOT` or `EFBIG`. What else is wrong with the file is for liblmdb to say.
    static func reserve(in directory: String, _ options: Environment.Options) throws(LMDBError) {
        // A file that this process closes loses its locks (fcntl(2)): the caller has no environment open here.
        let descriptor = unsafe open("\(directory)/lock.mdb", O_RDWR | O_CREAT | O_CLOEXEC, mode_t(options.fileMode))
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        var status = stat()
        let byteCount = off_t(headerBytes + readerBytes * Int(options.maxReaders))
        // `fstat` only writes into the buffer it is given.
        guard unsafe fstat(descriptor, &status) == 0, status.st_size == 0 else { return }
        let code = LMDBError.Code(rawValue: posix_fallocate(descriptor, 0, byteCount))
        guard ![.ENOSPC, .EDQUOT, .EFBIG].contains(code) else {
            throw LMDBError(code, operation: "posix_fallocate \(directory)/lock.mdb")
        }
    }
}
