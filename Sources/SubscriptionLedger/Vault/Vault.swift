import EventLog
import LMDB
import LedgerModel
import Primitives

/// `vault/`: which customer a name means. Names are filed by their HMAC-SHA-256 and sealed, both under `keys/vault.key`.
/// Customers are random handles, which is all that the rest of the ledger ever sees; so this is the one place that has to
/// forget. Names that are tokens stand in it as they are: the log shows them in what Apple signed, and a customer's
/// purchases are found by them.
final class Vault: Sendable {
    private let store: Reopenable<VaultStore>
    private let key: VaultKey
    /// For who writes.
    private let writer: VaultWriter?

    /// Opens the vault for the process that writes, making it and its key at the first time.
    /// - Throws: `io_error` when the key is missing, is another vault's, or may be read by others.
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

    /// Opens the vault for reading beside who writes; nil while nobody has.
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

    /// A new key would turn every customer into a stranger, so it is never made beside names that are filed.
    private static func key(of folder: DataFolder, _ keyCheck: [UInt8]?) throws -> VaultKey {
        let key = try VaultKey.load(from: folder)
        guard let key, key.check == keyCheck else {
            throw EventLogError(
                .ioError, "the vault does not open", expected: "the key it was made with at \(folder.vaultKey)",
                found: key == nil ? "no key" : "another key", hint: "Bring the key back from a backup.")
        }
        return key
    }

    /// The customer of a name; nil when nobody was met by it while the log held fewer than `size` events.
    func customer(of name: CustomerName, metBelow size: Position) throws -> CustomerHandle? {
        let code = key.code(of: name.bytes)
        let entry = try reading { store, transaction in try store.customer(ofName: code, transaction) }
        return entry.flatMap { $0.metAt < size ? $0.handle : nil }
    }

    /// The tokens that a customer was met by while the log held fewer than `size` events.
    func tokens(of handle: CustomerHandle, metBelow size: Position) throws -> [AppAccountToken] {
        try reading { store, transaction in try store.tokens(of: handle, transaction) }
            .filter { $0.metAt < size }.map(\.token)
    }

    /// Every name that a customer was met by, tokens too, sorted.
    ///
    /// A name met by an earlier version alone is missing until it is used again.
    func names(of handle: CustomerHandle) throws -> [String] {
        let (tokens, sealed) = try reading { store, transaction in
            (try store.tokens(of: handle, transaction), try store.sealedNames(of: handle, transaction))
        }
        let opened = try sealed.map { String(decoding: try key.open($0, filedUnder: handle.bytes), as: UTF8.self) }
        return (tokens.map(\.token.text) + opened).sorted()
    }

    /// Whether a customer has not been named; nil when there is no such customer.
    func isAnonymous(_ handle: CustomerHandle) throws -> Bool? {
        try reading { store, transaction in try store.isAnonymous(handle, transaction) }
    }

    /// Returns the customer of a name, a new one if no customer has it. Durable when it returns.
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

    /// Makes a name one more of a customer's. A name that is somebody's already stays theirs.
    func add(_ name: CustomerName, to handle: CustomerHandle, logSize: Position) async throws {
        _ = try await enrol(name, of: handle, logSize: logSize)
    }

    private func enrol(
        _ name: CustomerName, of handle: CustomerHandle, logSize: Position
    ) async throws -> CustomerHandle {
        // The seal names the customer: a name moved to another one in the file does not open.
        let text: Enrolment.Name.Text =
            try name.token.map { .token($0) } ?? .sealed(key.seal(name.bytes, filedUnder: handle.bytes))
        let filed = Enrolment.Name(code: key.code(of: name.bytes), text: text)
        return try await enrol(Enrolment(name: filed, handle: handle, logSize: logSize))
    }

    private func enrol(_ enrolment: Enrolment) async throws -> CustomerHandle {
        guard let writer else { preconditionFailure("a vault opened for reading cannot be written to") }
        return try await writer.enrol(enrolment)
    }

    /// Copies the vault with its key into a folder that has neither, as it was when the log held `size` events.
    ///
    /// Names met since then stay behind: the copy's log goes on at that size, and would take them for met in its
    /// future.
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
    /// Tells the key from others without telling the key. No name is empty, so it is no name's code.
    fileprivate var check: [UInt8] { code(of: []).bytes }
}

extension CustomerHandle {
    /// From the system's generator, which cannot be foretold.
    static func random() -> CustomerHandle {
        CustomerHandle(value: .random(in: .min ... .max))
    }
}
