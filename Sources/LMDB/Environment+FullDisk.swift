import CLMDB
import Glibc

extension Environment {
    /// Asks the disk whether it takes one more page.
    /// - Returns: why it does not, `ENOSPC`, `EDQUOT` or `EFBIG`; nil when it does, or has another reason.
    func diskFullCode() -> LMDBError.Code? {
        // The page goes behind the end of the file, where everything is dead. A transaction holds the
        // writer's lock meanwhile, so that no other writer is at work there.
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
        // What the disk says of a part it takes is only how much; what it says of the rest is why.
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
