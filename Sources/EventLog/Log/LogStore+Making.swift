import LMDB
import Primitives

extension LogStore {
    /// Makes a log where there is none yet, with nothing in it but its layout's version and its origin, which is
    /// `subledger.invalid/` and eight hexadecimal digits, drawn once.
    /// - Throws: `log_corrupt` for an empty file, which no log ever is; `disk_full`, `io_error`.
    static func makeIfMissing(in directory: String, options: Environment.Options) throws(EventLogError) {
        let layout = withUnsafeBytes(of: layoutVersion.littleEndian) { Array($0) }
        let origin = "subledger.invalid/\(Hex.encode((0..<4).map { _ in UInt8.random(in: 0...255) }))"
        do throws(LMDBError) {
            try Environment.makeIfMissing(in: directory, options: options) { environment throws(LMDBError) in
                _ = try environment.openDatabases(databases)
                let meta = try environment.openDatabase("meta")
                var transaction = try environment.beginWrite()
                for (key, text) in [(MetaKey.layoutVersion, layout), (MetaKey.origin, Array(origin.utf8))] {
                    try transaction.put(Sealed.bytes(of: text).span.bytes, at: key.span.bytes, in: meta)
                }
                try transaction.commit()
            }
        } catch {
            throw EventLogError(opening: directory, error)
        }
    }
}
