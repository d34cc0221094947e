import LMDB
import LedgerModel
import LedgerStorage
import Primitives

/// The databases of `vault/`.
struct VaultStore: Sendable {
    let environment: LMDB.Environment
    /// Maps the HMAC of an external id to the handle and the log size.
    private let ids: Database
    /// Maps a handle to whether it is anonymous.
    private let handles: Database
    /// Maps a handle and a token to the log size.
    private let tokens: Database
    /// Maps a handle and the HMAC of an external id that is not a token to the encrypted id and the log size. Nil when
    /// a vault of an earlier version is open for reading.
    private let sealedIDs: Database?
    private let meta: Database

    private static let keyCheck = Array("key".utf8)
    private static let entryByteCount = CustomerHandle.byteCount + 8

    init(directory: String, mapSizeBytes: Int, readOnly: Bool) throws(LMDBError) {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = mapSizeBytes
        options.readOnly = readOnly
        if !readOnly {
            try LMDB.Environment.makeIfMissing(in: directory, options: options) { environment throws(LMDBError) in
                _ = try environment.openDatabases(Self.databases)
            }
        }
        environment = try LMDB.Environment(directory: directory, options: options)
        let opened = try environment.openDatabases(Self.databases)
        (ids, handles, tokens, meta) = (opened[0], opened[1], opened[2], opened[3])
        sealedIDs = try Self.sealedIDs(in: environment)
    }

    private static let databases: [(name: String, flags: Database.Flags)] = [
        ("names", []), ("handles", []), ("tokens", []), ("meta", []),
    ]

    /// Returns the database of encrypted ids; nil for a vault of an earlier version, which has none.
    private static func sealedIDs(in environment: LMDB.Environment) throws(LMDBError) -> Database? {
        do throws(LMDBError) {
            return try environment.openDatabase("sealedNames")
        } catch {
            guard error.code == .MDB_NOTFOUND else { throw error }
            return nil
        }
    }

    /// Returns the customer of an external id, and the log size at which it was stored.
    func customer<Access>(
        ofID code: Digest, _ transaction: borrowing LMDBTransaction<Access>
    ) throws(LMDBError) -> (handle: CustomerHandle, createdAt: Position)? {
        let key = code.bytes
        guard let entry = try transaction.get(key.span.bytes, in: ids) else { return nil }
        guard entry.byteCount == Self.entryByteCount else {
            throw LMDBError(
                .MDB_CORRUPTED, operation: "read of the vault", expected: "\(Self.entryByteCount) bytes",
                found: "\(entry.byteCount)")
        }
        return (
            CustomerHandle(value: entry.bigEndian(at: 0, as: UInt128.self)),
            entry.bigEndian(at: CustomerHandle.byteCount, as: Position.self)
        )
    }

    /// Whether a customer is anonymous; nil when there is no such customer.
    func isAnonymous<Access>(
        _ handle: CustomerHandle, _ transaction: borrowing LMDBTransaction<Access>
    ) throws(LMDBError) -> Bool? {
        let key = handle.bytes
        guard let entry = try transaction.get(key.span.bytes, in: handles) else { return nil }
        return entry.withUnsafeBytes { $0.first == 1 }
    }

    /// Returns the tokens of a customer, each with the log size at which it was stored.
    func tokens<Access>(
        of handle: CustomerHandle, _ transaction: borrowing LMDBTransaction<Access>
    ) throws(LMDBError) -> [(token: AppAccountToken, createdAt: Position)] {
        var found: [(token: AppAccountToken, createdAt: Position)] = []
        for entry in try entries(of: handle, in: tokens, transaction) {
            guard let token = AppAccountToken(String(decoding: entry.rest, as: UTF8.self)) else {
                throw LMDBError(
                    .MDB_CORRUPTED, operation: "read of the vault", expected: "a token", found: "another text")
            }
            found.append((token, Self.createdAt(entry.value)))
        }
        return found
    }

    /// Returns the encrypted ids of a customer, without tokens, and the log sizes at which they were stored.
    func sealedIDs<Access>(
        of handle: CustomerHandle, _ transaction: borrowing LMDBTransaction<Access>
    ) throws(LMDBError) -> [(id: [UInt8], createdAt: Position)] {
        guard let sealedIDs else { return [] }
        return try entries(of: handle, in: sealedIDs, transaction).map {
            ($0.value.dropLast(8), Self.createdAt($0.value))
        }
    }

    func hasSealedID<Access>(
        _ code: Digest, of handle: CustomerHandle, _ transaction: borrowing LMDBTransaction<Access>
    ) throws(LMDBError) -> Bool {
        guard let sealedIDs else { return true }
        let key = handle.bytes + code.bytes
        return try transaction.get(key.span.bytes, in: sealedIDs) != nil
    }

    /// Returns the entries of a handle: the rest of each key, and its value.
    private func entries<Access>(
        of handle: CustomerHandle, in database: Database, _ transaction: borrowing LMDBTransaction<Access>
    ) throws(LMDBError) -> [(rest: [UInt8], value: [UInt8])] {
        let prefix = handle.bytes
        var found: [(rest: [UInt8], value: [UInt8])] = []
        var cursor = try transaction.cursor(in: database)
        var entry = try cursor.seek(prefix.span.bytes)
        while let next = entry {
            let key = next.key.withUnsafeBytes { Array($0) }
            guard key.starts(with: prefix) else { break }
            found.append((Array(key.dropFirst(prefix.count)), next.value.withUnsafeBytes { Array($0) }))
            entry = try cursor.next()
        }
        return found
    }

    private static func createdAt(_ entry: [UInt8]) -> Position {
        entry.suffix(8).reduce(0) { $0 << 8 | Position($1) }
    }

    /// Stores a customer, with an external id unless it is anonymous. An id that is already stored keeps its customer.
    /// - Returns: the customer of the id.
    func put(_ entry: CustomerEntry, _ transaction: inout WriteTransaction) throws(LMDBError) -> CustomerHandle {
        if let id = entry.id {
            let createdAt = entry.logSize.bigEndianBytes
            if let known = try customer(ofID: id.code, transaction) {
                try seal(id, of: known.handle, createdAt: createdAt, &transaction)
                return known.handle
            }
            let value = entry.handle.bytes + createdAt
            try transaction.put(value.span.bytes, at: id.code.bytes.span.bytes, in: ids)
            try seal(id, of: entry.handle, createdAt: createdAt, &transaction)
        }
        if try isAnonymous(entry.handle, transaction) == nil {
            let value: [UInt8] = [entry.id == nil ? 1 : 0]
            try transaction.put(value.span.bytes, at: entry.handle.bytes.span.bytes, in: handles)
        }
        return entry.handle
    }

    /// Stores the text of an id unless it is already stored.
    private func seal(
        _ id: CustomerEntry.ID, of handle: CustomerHandle, createdAt: [UInt8], _ transaction: inout WriteTransaction
    ) throws(LMDBError) {
        switch id.text {
        case .token(let token):
            let key = handle.bytes + Array(token.text.utf8)
            guard try transaction.get(key.span.bytes, in: tokens) == nil else { return }
            try transaction.put(createdAt.span.bytes, at: key.span.bytes, in: tokens)
        case .sealed(let bytes):
            guard let sealedIDs, try !hasSealedID(id.code, of: handle, transaction) else { return }
            let (key, entry) = (handle.bytes + id.code.bytes, bytes + createdAt)
            try transaction.put(entry.span.bytes, at: key.span.bytes, in: sealedIDs)
        }
    }

    /// Returns the code that identifies the key of the vault; nil in a new vault.
    func storedKeyCheck() throws -> [UInt8]? {
        try environment.read { transaction in
            guard let entry = try transaction.get(Self.keyCheck.span.bytes, in: meta) else { return nil }
            return entry.withUnsafeBytes { Array($0) }
        }
    }

    func store(keyCheck: [UInt8]) throws {
        try environment.write { try $0.put(keyCheck.span.bytes, at: Self.keyCheck.span.bytes, in: meta) }
    }

    /// Copies one snapshot into an empty store, without the ids stored after the log had `size` events, and without the
    /// forgotten customers.
    func copy(
        to store: VaultStore, createdUpTo size: Position, without forgotten: Set<CustomerHandle> = []
    ) throws {
        try environment.read { snapshot in
            for (source, target) in [
                (ids, store.ids), (handles, store.handles), (tokens, store.tokens),
                (sealedIDs, store.sealedIDs), (meta, store.meta),
            ] {
                guard let source, let target else { continue }
                var cursor = try snapshot.cursor(in: source)
                var batch: [(key: [UInt8], value: [UInt8])] = []
                repeat {
                    batch.removeAll(keepingCapacity: true)
                    while batch.count < Self.copyBatch, let entry = try cursor.next() {
                        let value = entry.value.withUnsafeBytes { Array($0) }
                        if source != handles, source != meta, Self.createdAt(value) > size { continue }
                        let key = entry.key.withUnsafeBytes { Array($0) }
                        if source != meta, let handle = CustomerHandle(prefixing: source == ids ? value : key),
                            forgotten.contains(handle)
                        {
                            continue
                        }
                        batch.append((key, value))
                    }
                    try store.environment.write { transaction in
                        for (key, value) in batch {
                            try transaction.put(value.span.bytes, at: key.span.bytes, in: target, .append)
                        }
                    }
                } while batch.count == Self.copyBatch
            }
        }
    }

    /// The number of entries per commit.
    private static let copyBatch = 4_096
}

extension CustomerHandle {
    /// Creates the handle at the start of bytes; nil for fewer bytes.
    fileprivate init?(prefixing bytes: [UInt8]) {
        self.init(bytes: bytes.prefix(Self.byteCount))
    }
}

/// A customer to store.
struct CustomerEntry: Sendable {
    struct ID {
        /// The HMAC of the external id.
        let code: Digest
        let text: Text

        enum Text {
            case token(AppAccountToken)
            case sealed([UInt8])
        }
    }

    /// The external id; nil for an anonymous customer.
    let id: ID?
    /// A new handle, or the handle of an existing customer that receives another id.
    let handle: CustomerHandle
    let logSize: Position
}
