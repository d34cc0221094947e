package import LMDB
import Primitives

extension LMDBTransaction {
    /// Returns the number under a key of a `meta` database; nil when there is none.
    /// - Throws: `log_corrupt` when the value is not a number of 8 bytes.
    package func number(_ key: [UInt8], in meta: Database) throws -> UInt64? {
        guard let value = try get(key.span.bytes, in: meta) else { return nil }
        guard value.byteCount == 8 else { throw StorageError.derivedDamaged("a number") }
        return value.integer(at: 0)
    }
}

extension LMDBTransaction where Access == WriteAccess {
    /// Stores a number under a key of a `meta` database.
    package mutating func put(_ number: UInt64, at key: [UInt8], in meta: Database) throws(LMDBError) {
        let bytes = withUnsafeBytes(of: number) { Array($0) }
        try put(bytes.span.bytes, at: key.span.bytes, in: meta)
    }
}
