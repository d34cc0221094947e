import Glibc
import HashIndex
import LMDB
import LedgerStorage
import Primitives

/// The databases of the duplicate index.
final class DuplicateDatabase: Sendable {
    private let environment: LMDB.Environment
    private let keys: HashIndex
    private let meta: Database

    private static let layout: UInt64 = 1
    private static let layoutKey = Array("layout".utf8)
    private static let sizeKey = Array("size".utf8)
    private static let keyDatabases = HashIndex.databases("keys")
    static let databases: [(name: String, flags: Database.Flags)] = [("meta", [])] + keyDatabases

    /// Opens the database. Removes a database of another version, which can be rebuilt from the log.
    static func openOrReplace(directory: String, mapSizeBytes: Int) throws -> DuplicateDatabase {
        do {
            do {
                return try DuplicateDatabase(directory: directory, mapSizeBytes: mapSizeBytes)
            } catch let error as StorageError where error.code == .versionUnknown {
                for name in ["data.mdb", "lock.mdb"] { unlink("\(directory)/\(name)") }
                return try DuplicateDatabase(directory: directory, mapSizeBytes: mapSizeBytes)
            }
        } catch let error as LMDBError {
            var failure = StorageError(opening: directory, error)
            if failure.code == .logCorrupt { failure.diagnosis.hint = StorageError.rebuildHint }
            throw failure
        }
    }

    /// Opens the database for reading beside a writer.
    /// - Returns: nil when there is none.
    /// - Throws: `version_unknown`, `log_corrupt`, `io_error`.
    convenience init?(reading directory: String, mapSizeBytes: Int) throws {
        guard access("\(directory)/\(LMDB.Environment.dataFileName)", F_OK) == 0 else { return nil }
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = mapSizeBytes
        options.readOnly = true
        do {
            try self.init(directory, options)
        } catch let error as LMDBError {
            throw StorageError(opening: directory, error)
        }
    }

    private convenience init(directory: String, mapSizeBytes: Int) throws {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = mapSizeBytes
        try LMDB.Environment.makeIfMissing(in: directory, options: options) { environment throws(LMDBError) in
            let opened = try environment.openDatabases(Self.databases)
            var transaction = try environment.beginWrite()
            try transaction.put(Self.layout, at: Self.layoutKey, in: opened[0])
            try transaction.commit()
        }
        try self.init(directory, options)
    }

    private init(_ directory: String, _ options: LMDB.Environment.Options) throws {
        environment = try LMDB.Environment(directory: directory, options: options)
        meta = try environment.openDatabase("meta")
        let found = try environment.read { [meta] in try $0.number(Self.layoutKey, in: meta) }
        guard found == Self.layout else {
            throw StorageError(
                .versionUnknown, "unsupported version of the duplicate index", expected: "\(Self.layout)",
                found: found.map { "\($0)" } ?? "none", hint: StorageError.rebuildHint)
        }
        keys = HashIndex(try environment.openDatabases(Self.keyDatabases))
    }

    /// Returns the number of events whose keys are stored.
    func size() throws -> UInt64 {
        try reading { try $0.number(Self.sizeKey, in: self.meta) ?? 0 }
    }

    /// Returns the first positions of those keys that are stored.
    func firstPositions(of wanted: [IdempotencyKey]) throws -> [IdempotencyKey: UInt64] {
        let sorted = Set(wanted.map(\.value)).sorted()
        var found: [IdempotencyKey: UInt64] = [:]
        try reading { transaction in
            try keys.forEachEntry(of: sorted, transaction) { entry in
                let key = IdempotencyKey(entry.key)
                found[key] = min(found[key] ?? .max, entry.position)
            }
        }
        return found
    }

    /// Stores entries in one synced transaction. Storing an entry twice has no effect.
    func add(_ entries: [IndexEntry], size: UInt64) throws {
        try environment.write { transaction in
            try keys.addAndCompact(entries, &transaction)
            try transaction.put(size, at: Self.sizeKey, in: meta)
        }
    }

    /// Compares the index with the entries that the first events must have, and those that they may have.
    /// - Returns: the first fault; nil when there is none.
    func fault(
        expecting expected: EntrySum, besides optional: Set<IndexEntry>, below size: UInt64,
        report: (Double) -> Void
    ) throws -> String? {
        try reading { transaction in
            let stored = try transaction.number(Self.sizeKey, in: meta) ?? 0
            if let fault = try keys.fault(transaction, report: { report(0) }) { return "the duplicate index: \(fault)" }
            var isAhead = false
            let found = try keys.sum(transaction) { entry in
                if entry.position >= stored { isAhead = true }
                return entry.position < size && !optional.contains(entry)
            } report: {
                report($0)
            }
            guard !isAhead, found == expected else {
                return "the duplicate index of \(size) events has \(found.count) keys, or others than the "
                    + "\(expected.count) of the log"
            }
            return nil
        }
    }

    private func reading<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        do {
            return try environment.read(body)
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the duplicate index failed")
        }
    }
}
