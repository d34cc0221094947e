import Glibc

/// The lock file lock.mdb, which readers and the writer share through a memory map.
enum LockFile {
    /// Bytes per reader slot, one cache line (mdb.c, MDB_reader).
    private static let readerBytes = 64
    /// Bytes before the reader slots (mdb.c, MDB_txninfo). liblmdb derives the number of slots from the file's length.
    private static let headerBytes = 2 * 64

    /// Reserves the disk space of a new lock file.
    ///
    /// liblmdb only sets its length. On a full disk, the first write to one of its pages would raise SIGBUS and end the
    /// process instead of returning an error.
    /// - Throws: `ENOSPC`, `EDQUOT` or `EFBIG`. liblmdb reports all other errors of the file.
    static func reserve(in directory: String, _ options: Environment.Options) throws(LMDBError) {
        // Closing a file drops the process's locks on it (fcntl(2)). The caller does not have the environment open
        // here.
        let descriptor = unsafe open("\(directory)/lock.mdb", O_RDWR | O_CREAT | O_CLOEXEC, mode_t(options.fileMode))
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        var status = stat()
        let byteCount = off_t(headerBytes + readerBytes * Int(options.maxReaders))
        // `fstat` only writes into the buffer it receives.
        guard unsafe fstat(descriptor, &status) == 0, status.st_size == 0 else { return }
        let code = LMDBError.Code(rawValue: posix_fallocate(descriptor, 0, byteCount))
        guard ![.ENOSPC, .EDQUOT, .EFBIG].contains(code) else {
            throw LMDBError(code, operation: "posix_fallocate \(directory)/lock.mdb")
        }
    }

    /// Whether this process may not write to the lock file, or not create it.
    static func isForbidden(in directory: String) -> Bool {
        let path = "\(directory)/lock.mdb"
        let place = unsafe access(path, F_OK) == 0 ? path : directory
        return unsafe access(place, W_OK) != 0 && errno == EACCES
    }

    /// Whether a process has the environment open. It then holds a lock on the first byte of the lock file (mdb.c,
    /// mdb_env_excl_lock).
    static func isInUse(in directory: String) -> Bool {
        // The caller does not have the environment open, so closing the file drops no lock of this process.
        let descriptor = unsafe open("\(directory)/lock.mdb", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno != ENOENT }
        defer { _ = close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_len = 1
        // fcntl(2) only writes into the structure it receives.
        guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0 else { return true }
        return lock.l_type != Int16(F_UNLCK)
    }
}
