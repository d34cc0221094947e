import Glibc

extension Environment {
    /// Writes both meta pages again as they are read, each durable before the next. Part of every opening for writing:
    /// before it a commit may have failed, in this process or in one that is gone.
    ///
    /// When the write of a meta page fails, what is read back may be in memory alone, and what is on the disk may be
    /// the transaction that failed: the next one would then write over pages that the disk's newest meta page leads
    /// to. No sync settles that: a page whose write has failed may count as written (fsync(2), EIO).
    /// - Throws: the `errno` of a disk that goes on failing.
    func settleMetaPages() throws(LMDBError) {
        let pageBytes = try information().pageSizeBytes
        let path = "\(directory)/\(Self.dataFileName)"
        let descriptor = unsafe open(path, O_RDWR | O_DSYNC | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open \(path)") }
        defer { _ = close(descriptor) }
        var page = [UInt8](repeating: 0, count: pageBytes)
        for index in 0..<Int(DataFileLayout.metaPages) {
            let offset = off_t(index * pageBytes)
            // Both read and write at most the bytes of `page`.
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
