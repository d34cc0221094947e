import LMDB
import LedgerStorage
import Primitives

extension LogStore {
    /// Creates a log if there is none. It contains only the layout version and the origin: `subledger.invalid/` and
    /// eight random hexadecimal digits.
    /// - Throws: `log_corrupt` for an empty file, which is never a log; `disk_full`, `io_error`.
    static func makeIfMissing(in directory: String, options: Environment.Options) throws(StorageError) {
        let layout = withUnsafeBytes(of: layoutVersion.littleEndian) { Array($0) }
        let origin = "subledger.invalid/\(Hex.encode((0..<4).map { _ in UInt8.random(in: 0...255) }))"
        do throws(LMDBError) {
            try Environment.makeIfMissing(in: directory, options: options) { environment throws(LMDBError) in
                _ = try environment.openDatabases(databases)
                let meta = try environment.openDatabase("meta")
                var transaction = try environment.beginWrite()
                for (key, text) in [(MetaKey.layoutVersion, layout), (MetaKey.origin, Array(origin.utf8))] {
                    try transaction.put(DigestSuffixed.bytes(of: text).span.bytes, at: key.span.bytes, in: meta)
                }
                try transaction.commit()
            }
        } catch {
            throw StorageError(opening: directory, error)
        }
    }
}
