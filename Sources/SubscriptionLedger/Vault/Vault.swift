import EventLog
import LMDB
import LedgerModel
import Primitives

/// `vault/`: maps names to customers.
///
/// Names are indexed by their HMAC-SHA-256 and encrypted, both under `keys/vault.key`. The rest of the ledger sees only
/// random handles, so erasing a person concerns the vault alone. Names that are tokens are not encrypted: they occur in
/// the data that Apple signed, and a customer's purchases are found by them.
final class Vault: Sendable {
    private let store: Reopenable<VaultStore>
    private let key: VaultKey
    /// Nil in a vault opened for reading.
    private let writer: VaultWriter?

    /// Opens the vault for the process that writes, and creates it with its key at first use.
    /// - Throws: `io_error` when the key is missing, belongs to another vault, or is readable by other users.
    init(writing folder: DataFolder, mapSizeBytes: Int) throws {
        store = try Self.opening(folder, mapSizeBytes: mapSizeBytes, readOnly: false)
        let current = try store.current()
        if let keyCheck = try current.storedKeyCheck() {
            key = try Self.key(of: folder, keyCheck)
        } else {
            key = try VaultKey.load(from: folder) ?? VaultKey.make(in: folder)
            try current.store(keyCheck: key.check)
        }
        writer = VaultWriter(store)
    }

    /// Opens the vault for reading, beside a writer; nil before a writer has created it.
    init?(reading folder: DataFolder, mapSizeBytes: Int) throws {
        guard folder.hasVault else { return nil }
        store = try Self.opening(folder, mapSizeBytes: mapSizeBytes, readOnly: true)
        guard let keyCheck = try store.current().storedKeyCheck() else { return nil }
        key = try Self.key(of: folder, keyCheck)
        writer = nil
    }

    private static func opening(
        _ folder: DataFolder, mapSizeBytes: Int, readOnly: Bool
    ) throws -> Reopenable<VaultStore> {
        try Reopenable("the vault") {
            do throws(LMDBError) {
                return try VaultStore(directory: folder.vault, mapSizeBytes: mapSizeBytes, readOnly: readOnly)
            } catch {
                throw EventLogError(opening: folder.vault, error)
            }
        }
    }

    /// Never creates a key: with a new one, no stored name would be found.
    private static func key(of folder: DataFolder, _ keyCheck: [UInt8]?) throws -> VaultKey {
        let key = try VaultKey.load(from: folder)
        guard let key, key.check == keyCheck else {
            throw EventLogError(
                .ioError, "the vault does not open", expected: "the key it was made with at \(folder.vaultKey)",
                found: key == nil ? "no key" : "another key", hint: "Restore the key from a backup.")
        }
        return key
    }

    /// Returns the customer of a name; nil unless it was stored while the log held fewer than `size` events.
    func customer(of name: CustomerName, metBelow size: Position) throws -> CustomerHandle? {
        let code = key.code(of: name.bytes)
        let entry = try reading { store, transaction in try store.customer(ofName: code, transaction) }
        return entry.flatMap { $0.metAt < size ? $0.handle : nil }
    }

    /// Returns the tokens of a customer stored while the log held fewer than `size` events.
    func tokens(of handle: CustomerHandle, metBelow size: Position) throws -> [AppAccountToken] {
        try reading { store, transaction in try store.tokens(of: handle, transaction) }
            .filter { $0.metAt < size }.map(\.token)
    }

    /// Returns every name of a customer, tokens included, sorted.
    ///
    /// Names stored by an earlier version are missing until they are used again.
    func names(of handle: CustomerHandle) throws -> [String] {
        let (tokens, sealed) = try reading { store, transaction in
            (try store.tokens(of: handle, transaction), try store.sealedNames(of: handle, transaction))
        }
        let opened = try sealed.map { String(decoding: try key.open($0, filedUnder: handle.bytes), as: UTF8.self) }
        return (tokens.map(\.token.text) + opened).sorted()
    }

    /// Whether a customer has no name; nil when there is no such customer.
    func isAnonymous(_ handle: CustomerHandle) throws -> Bool? {
        try reading { store, transaction in try store.isAnonymous(handle, transaction) }
    }

    /// Returns the customer of a name, or a new customer when there is none. Durable when it returns.
    func findOrCreate(_ name: CustomerName, logSize: Position) async throws -> CustomerHandle {
        let code = key.code(of: name.bytes)
        let known = try reading { store, transaction -> (handle: CustomerHandle, isComplete: Bool)? in
            guard let handle = try store.customer(ofName: code, transaction)?.handle else { return nil }
            let isComplete = try name.token != nil || store.hasSealedName(code, of: handle, transaction)
            return (handle, isComplete)
        }
        if let known, known.isComplete { return known.handle }
        return try await enrol(name, of: known?.handle ?? .random(), logSize: logSize)
    }

    /// Returns a new customer without a name. Durable when it returns.
    func createAnonymous(logSize: Position) async throws -> CustomerHandle {
        try await enrol(Enrolment(name: nil, handle: .random(), logSize: logSize))
    }

    /// Adds a name to a customer. A name that already has a customer keeps it.
    /// - Returns: the customer of the name.
    func add(_ name: CustomerName, to handle: CustomerHandle, logSize: Position) async throws -> CustomerHandle {
        try await enrol(name, of: handle, logSize: logSize)
    }

    private func enrol(
        _ name: CustomerName, of handle: CustomerHandle, logSize: Position
    ) async throws -> CustomerHandle {
        // The encryption binds the name to its customer: moved to another one in the file, it does not decrypt.
        let text: Enrolment.Name.Text =
            try name.token.map { .token($0) } ?? .sealed(key.seal(name.bytes, filedUnder: handle.bytes))
        let filed = Enrolment.Name(code: key.code(of: name.bytes), text: text)
        return try await enrol(Enrolment(name: filed, handle: handle, logSize: logSize))
    }

    private func enrol(_ enrolment: Enrolment) async throws -> CustomerHandle {
        guard let writer else {
            throw EventLogError(.ioError, "the vault is open for reading", expected: "a vault open for writing")
        }
        return try await writer.enrol(enrolment)
    }

    /// Copies the vault with its key, as of `size` events in the log, into a folder that has neither.
    ///
    /// Newer names are left out: the copy's log continues at that size, where they would belong to the future.
    /// - Throws: `map_full`, `disk_full`, `io_error`.
    func copy(from folder: DataFolder, to other: DataFolder, metUpTo size: Position) throws {
        do {
            let store = try store.current()
            let copy = try VaultStore(
                directory: other.vault, mapSizeBytes: store.environment.options.mapSizeBytes, readOnly: false)
            try store.copy(to: copy, metUpTo: size)
        } catch let error as LMDBError {
            throw EventLogError(error, while: "the vault was not copied")
        }
        try DataFolder.copySmallFiles(named: ["vault.key"], from: folder.keys, to: other.keys)
    }

    private func reading<Result>(
        _ body: (VaultStore, borrowing ReadTransaction) throws -> Result
    ) throws -> Result {
        let store = try store.current()
        do {
            return try store.environment.read { try body(store, $0) }
        } catch let error as LMDBError {
            throw EventLogError(error, while: "the vault was not read")
        }
    }
}

extension VaultKey {
    /// A code that identifies the key without revealing it. No name is empty, so no name has this code.
    fileprivate var check: [UInt8] { code(of: []).bytes }
}

extension CustomerHandle {
    /// Returns an unpredictable handle, from the system's generator.
    static func random() -> CustomerHandle {
        CustomerHandle(value: .random(in: .min ... .max))
    }
}
