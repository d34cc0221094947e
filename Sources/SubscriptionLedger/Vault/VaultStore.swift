import EventLog
import LMDB
import LedgerModel
import Primitives

/// The databases of `vault/`.
struct VaultStore: Sendable {
    let environment: LMDB.Environment
    /// HMAC of a name -> handle, log size
    private let names: Database
    /// handle -> whether it is anonymous
    private let handles: Database
    /// handle, token -> log size
    private let tokens: Database
    /// handle, HMAC of a name that is no token -> the encrypted name, log size. Nil when a vault of an earlier version
    /// is open for reading.
    private let sealedNames: Database?
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
        (names, handles, tokens, meta) = (opened[0], opened[1], opened[2], opened[3])
        sealedNames = try Self.sealedNames(in: environment)
    }

    private static let databases: [(name: String, flags: Database.Flags)] = [
        ("names", []), ("handles", []), ("tokens", []), ("meta", []),
    ]

    /// Returns nil for a vault of an earlier version, which has no encrypted names.
    private static func sealedNames(in environment: LMDB.Environment) throws(LMDBError) -> Database? {
        do throws(LMDBError) {
            return try environment.openDatabase("sealedNames")
        } catch {
            guard error.code == .MDB_NOTFOUND else { throw error }
            return nil
        }
    }

    /// Returns the customer of a name, and the log size at which it was stored.
    func customer<Access>(
        ofName code: Digest, _ transaction: borrowing LMDBTransaction<Access>
    ) throws(LMDBError) -> (handle: CustomerHandle, metAt: Position)? {
        let key = code.bytes
        guard let entry = try transaction.get(key.span.bytes, in: names) else { return nil }
        return try Self.customer(in: entry.withUnsafeBytes { Array($0) })
    }

    private static func customer(in entry: [UInt8]) throws(LMDBError) -> (handle: CustomerHandle, metAt: Position) {
        guard entry.count == entryByteCount, let handle = CustomerHandle(bytes: entry.prefix(16)) else {
            throw LMDBError(
                .MDB_CORRUPTED, operation: "read of the vault", expected: "\(entryByteCount) bytes",
                found: "\(entry.count)")
        }
        return (handle, metAt(entry))
    }

    /// Nil when there is no such customer.
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
    ) throws(LMDBError) -> [(token: AppAccountToken, metAt: Position)] {
        var found: [(token: AppAccountToken, metAt: Position)] = []
        for entry in try entries(of: handle, in: tokens, transaction) {
            guard let token = AppAccountToken(String(decoding: entry.rest, as: UTF8.self)) else {
                throw LMDBError(
                    .MDB_CORRUPTED, operation: "read of the vault", expected: "a token", found: "another text")
            }
            found.append((token, Self.metAt(entry.value)))
        }
        return found
    }

    /// Returns the encrypted names of a customer; tokens are not among them.
    func sealedNames<Access>(
        of handle: CustomerHandle, _ transaction: borrowing LMDBTransaction<Access>
    ) throws(LMDBError) -> [[UInt8]] {
        guard let sealedNames else { return [] }
        return try entries(of: handle, in: sealedNames, transaction).map { $0.value.dropLast(8) }
    }

    func hasSealedName<Access>(
        _ code: Digest, of handle: CustomerHandle, _ transaction: borrowing LMDBTransaction<Access>
    ) throws(LMDBError) -> Bool {
        guard let sealedNames else { return true }
        let key = handle.bytes + code.bytes
        return try transaction.get(key.span.bytes, in: sealedNames) != nil
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

    private static func metAt(_ entry: [UInt8]) -> Position {
        entry.suffix(8).reduce(0) { $0 << 8 | Position($1) }
    }

    /// Stores a customer, under a name unless it is anonymous. A name that is already stored keeps its customer.
    /// - Returns: the customer of the name.
    func enrol(_ enrolment: Enrolment, _ transaction: inout WriteTransaction) throws(LMDBError) -> CustomerHandle {
        if let name = enrolment.name {
            let metAt = withUnsafeBytes(of: enrolment.logSize.bigEndian) { Array($0) }
            if let known = try customer(ofName: name.code, transaction) {
                try seal(name, of: known.handle, metAt: metAt, &transaction)
                return known.handle
            }
            let entry = enrolment.handle.bytes + metAt
            try transaction.put(entry.span.bytes, at: name.code.bytes.span.bytes, in: names)
            try seal(name, of: enrolment.handle, metAt: metAt, &transaction)
        }
        if try isAnonymous(enrolment.handle, transaction) == nil {
            let entry: [UInt8] = [enrolment.name == nil ? 1 : 0]
            try transaction.put(entry.span.bytes, at: enrolment.handle.bytes.span.bytes, in: handles)
        }
        return enrolment.handle
    }

    /// Stores the text of a name unless it is already stored.
    private func seal(
        _ name: Enrolment.Name, of handle: CustomerHandle, metAt: [UInt8], _ transaction: inout WriteTransaction
    ) throws(LMDBError) {
        switch name.text {
        case .token(let token):
            let key = handle.bytes + Array(token.text.utf8)
            guard try transaction.get(key.span.bytes, in: tokens) == nil else { return }
            try transaction.put(metAt.span.bytes, at: key.span.bytes, in: tokens)
        case .sealed(let bytes):
            guard let sealedNames, try !hasSealedName(name.code, of: handle, transaction) else { return }
            let (key, entry) = (handle.bytes + name.code.bytes, bytes + metAt)
            try transaction.put(entry.span.bytes, at: key.span.bytes, in: sealedNames)
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

    /// Copies one snapshot into an empty store, without the names stored after the log held `size` events.
    func copy(to store: VaultStore, metUpTo size: Position) throws {
        try environment.read { snapshot in
            for (source, target) in [
                (names, store.names), (handles, store.handles), (tokens, store.tokens),
                (sealedNames, store.sealedNames), (meta, store.meta),
            ] {
                guard let source, let target else { continue }
                var cursor = try snapshot.cursor(in: source)
                var batch: [(key: [UInt8], value: [UInt8])] = []
                repeat {
                    batch.removeAll(keepingCapacity: true)
                    while batch.count < Self.copyBatch, let entry = try cursor.next() {
                        let value = entry.value.withUnsafeBytes { Array($0) }
                        if source != handles, source != meta, Self.metAt(value) > size { continue }
                        batch.append((entry.key.withUnsafeBytes { Array($0) }, value))
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

    /// The number of entries in one commit.
    private static let copyBatch = 4_096
}

/// A customer to store.
struct Enrolment: Sendable {
    struct Name {
        /// The HMAC of the name.
        let code: Digest
        let text: Text

        enum Text {
            case token(AppAccountToken)
            case sealed([UInt8])
        }
    }

    /// Nil for an anonymous customer.
    let name: Name?
    /// A new handle, or that of an existing customer who gets a further name.
    let handle: CustomerHandle
    let logSize: Position
}
