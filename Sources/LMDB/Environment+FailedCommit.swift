import Glibc
import LMDBFileFormat

extension Environment {
    /// Rewrites both meta pages with the contents read back, each durably before the next. Every opening for
    /// writing does this, because an earlier commit may have failed in this process or in a former one.
    ///
    /// After a failed write of a meta page, the contents read back may exist in memory only, while the disk may contain
    /// the failed transaction. The next transaction would then overwrite pages that the newest meta page on disk
    /// references. A sync does not repair this: a page whose write has failed may count as written (fsync(2), EIO).
    /// - Throws: the `errno` of a disk that still fails.
    func settleMetaPages() throws(LMDBError) {
        let pageBytes = try information().pageSizeBytes
        // The lock of a transaction keeps other processes from committing meanwhile. It writes nothing.
        let writer = try beginWrite()
        try withExtendedLifetime(writer) { () throws(LMDBError) in try rewriteMetaPages(pageBytes) }
    }

    private func rewriteMetaPages(_ pageBytes: Int) throws(LMDBError) {
        let path = "\(directory)/\(Self.dataFileName)"
        let descriptor = unsafe open(path, O_RDWR | O_DSYNC | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open \(path)") }
        defer { _ = close(descriptor) }
        var page = [UInt8](repeating: 0, count: pageBytes)
        for index in 0..<Int(DataFileLayout.metaPages) {
            let offset = off_t(index * pageBytes)
            // Both calls read and write at most the bytes of `page`.
            errno = 0
            guard unsafe pread(descriptor, &page, pageBytes, offset) == pageBytes else {
                throw .system("read meta page \(index) of \(path)")
            }
            guard unsafe pwrite(descriptor, page, pageBytes, offset) == pageBytes else {
                throw .system("write meta page \(index) of \(path)")
            }
        }
    }
}
