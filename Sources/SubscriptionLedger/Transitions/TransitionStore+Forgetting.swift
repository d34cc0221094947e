import Glibc
import LMDB
import LedgerModel
import LedgerStorage
import Primitives

/// Rows name an owner without a customer by the appAccountToken. When the token is erased, the rows are copied without
/// this owner into a new folder. Their numbers and digests stay, and with them every cursor.
extension TransitionStore {
    private static func aside(_ directory: String) -> Folder { Folder(directory + ".erasing") }

    /// Forgets tokens in the store of a folder. Whoever has it open keeps reading the old one.
    /// - Parameter opened: the environment, if this process has it open.
    /// - Throws: `io_error`, `disk_full`, `map_full`, `log_corrupt`.
    static func forget(
        _ tokens: Set<AppAccountToken>, in directory: String, mapSizeBytes: Int, from opened: LMDB.Environment? = nil
    ) throws {
        try removeAside(of: directory)
        guard access("\(directory)/\(LMDB.Environment.dataFileName)", F_OK) == 0, !tokens.isEmpty else { return }
        let copy = aside(directory)
        try copy.create()
        do {
            let source =
                try opened
                ?? LMDB.Environment(directory: directory, options: options(mapSizeBytes, readOnly: true))
            let target = try LMDB.Environment(directory: copy.path, options: options(mapSizeBytes, readOnly: false))
            try self.copy(source, to: target, without: Set(tokens.map { .bearer($0) }))
        } catch let error as LMDBError {
            throw StorageError(error, while: "copying the transitions failed")
        }
        try AtomicFile.syncFolder(of: "\(copy.path)/\(LMDB.Environment.dataFileName)")
        try copy.exchange(with: Folder(directory))
        try removeAside(of: directory)
    }

    static func removeAside(of directory: String) throws {
        for folder in [aside(directory), Folder(directory + ".building"), Folder(directory).replaced]
        where folder.exists {
            try folder.remove()
        }
    }

    private static func options(_ mapSizeBytes: Int, readOnly: Bool) -> LMDB.Environment.Options {
        var options = LMDB.Environment.Options()
        (options.mapSizeBytes, options.readOnly) = (mapSizeBytes, readOnly)
        return options
    }

    private static func copy(
        _ source: LMDB.Environment, to target: LMDB.Environment, without owners: Set<Ownership.Owner>
    ) throws {
        let from = try source.openDatabases(databases, creating: false)
        let to = try target.openDatabases(databases)
        let changes: [([UInt8]) throws -> [UInt8]] = [
            { try row($0, without: owners) }, { try announced($0, without: owners) }, { $0 }, { $0 },
        ]
        for (databases, change) in zip(zip(from, to), changes) {
            try source.read { snapshot in
                var cursor = try snapshot.cursor(in: databases.0)
                var batch: [(key: [UInt8], value: [UInt8])] = []
                repeat {
                    batch.removeAll(keepingCapacity: true)
                    while batch.count < copyBatch, let entry = try cursor.next() {
                        let value = try change(entry.value.withUnsafeBytes { Array($0) })
                        batch.append((entry.key.withUnsafeBytes { Array($0) }, value))
                    }
                    try target.write { transaction in
                        for (key, value) in batch {
                            try transaction.put(value.span.bytes, at: key.span.bytes, in: databases.1, .append)
                        }
                    }
                } while batch.count == copyBatch
            }
        }
    }

    /// The number of entries per commit.
    private static let copyBatch = 4_096
    private static let digestByteCount = 16

    private static func row(_ stored: [UInt8], without owners: Set<Ownership.Owner>) throws -> [UInt8] {
        guard var row = StoredTransition(Array(stored.dropFirst(digestByteCount))) else { throw damaged("a row") }
        guard !owners.isDisjoint(with: row.owners) else { return stored }
        row.owners.removeAll { owners.contains($0) }
        return stored.prefix(digestByteCount) + row.bytes
    }

    private static func announced(_ stored: [UInt8], without owners: Set<Ownership.Owner>) throws -> [UInt8] {
        guard var announced = AnnouncedSubscription(stored) else { throw damaged("an announced subscription") }
        announced.owners.subtract(owners)
        return announced.bytes
    }
}
