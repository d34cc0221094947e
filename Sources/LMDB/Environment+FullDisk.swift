import CLMDB
import Glibc

extension Environment {
    /// Checks whether the disk accepts one more page.
    /// - Returns: `ENOSPC`, `EDQUOT` or `EFBIG` when the disk is full; nil when it accepts the page or fails for
    ///   another reason.
    func diskFullCode() -> LMDBError.Code? {
        // The page is written after the end of the file, where nothing is live. A write transaction holds the writer's
        // lock meanwhile, so no other writer can write there.
        guard let transaction = try? beginWrite() else { return nil }
        return withExtendedLifetime(transaction) { writeBehindEnd() }
    }

    private func writeBehindEnd() -> LMDBError.Code? {
        var descriptor: mdb_filehandle_t = -1
        var status = stat()
        guard unsafe mdb_env_get_fd(handle, &descriptor) == MDB_SUCCESS, unsafe fstat(descriptor, &status) == 0 else {
            return nil
        }
        var page = [UInt8](repeating: 0, count: Int(status.st_blksize))
        var offset = status.st_size
        // A partial write reports only its length. The write of the rest reports the reason.
        while !page.isEmpty {
            let written = unsafe pwrite(descriptor, page, page.count, offset)
            guard written > 0 else {
                let code = LMDBError.Code(rawValue: errno)
                return [.ENOSPC, .EDQUOT, .EFBIG].contains(code) ? code : nil
            }
            page.removeFirst(written)
            offset += written
        }
        return nil
    }
}
