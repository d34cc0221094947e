import LMDB
import LedgerModel
import LedgerStorage
import Primitives

/// Reads `vault/`, which maps external ids to customers.
///
/// Ids are indexed by their HMAC-SHA-256 and encrypted, both with `keys/vault.key`. The rest of the ledger contains
/// only random handles, so erasing a person affects only the vault. Ids that are tokens are not encrypted: they occur
/// in the data that Apple signed, and a customer's purchases are found by them.
final class VaultReader: Sendable {
    let store: RecoverableEnvironment<VaultStore>
    let key: VaultKey

    /// Creates a reader of the vault, also beside a writer; nil before a writer has created the vault.
    /// - Throws: `io_error` when the key is missing, belongs to another vault, or is readable by other users.
    convenience init?(_ folder: DataFolder, mapSizeBytes: Int) throws {
        guard folder.hasVault else { return nil }
        let store = try Self.opening(folder, mapSizeBytes: mapSizeBytes, readOnly: true)
        guard let keyCheck = try store.current().storedKeyCheck() else { return nil }
        self.init(store, key: try Self.key(of: folder, keyCheck))
    }

    init(_ store: RecoverableEnvironment<VaultStore>, key: VaultKey) {
        self.store = store
        self.key = key
    }

    static func opening(
        _ folder: DataFolder, mapSizeBytes: Int, readOnly: Bool
    ) throws -> RecoverableEnvironment<VaultStore> {
        try RecoverableEnvironment("the vault") {
            do throws(LMDBError) {
                return try VaultStore(directory: folder.vault, mapSizeBytes: mapSizeBytes, readOnly: readOnly)
            } catch {
                throw StorageError(opening: folder.vault, error)
            }
        }
    }

    /// Returns the key of the vault. Never creates one, because a new key finds no stored id.
    static func key(of folder: DataFolder, _ keyCheck: [UInt8]) throws -> VaultKey {
        let key = try VaultKey.load(from: folder)
        guard let key, key.check == keyCheck else {
            throw StorageError(
                .ioError, "the vault cannot be opened", expected: "the original key at \(folder.vaultKey)",
                found: key == nil ? "no key" : "another key", hint: "Restore the key from a backup.")
        }
        return key
    }

    /// Returns the customer of an id; nil unless it was stored while the log had fewer than `size` events.
    func customer(of id: ExternalCustomerID, createdBefore size: Position) throws -> CustomerHandle? {
        let code = key.code(of: id.bytes)
        let entry = try reading { store, transaction in try store.customer(ofID: code, transaction) }
        return entry.flatMap { $0.createdAt < size ? $0.handle : nil }
    }

    /// Returns the tokens of a customer that were stored while the log had fewer than `size` events.
    func tokens(of handle: CustomerHandle, createdBefore size: Position) throws -> [AppAccountToken] {
        try reading { store, transaction in try store.tokens(of: handle, transaction) }
            .filter { $0.createdAt < size }.map(\.token)
    }

    /// Returns every external id of a customer, tokens included, sorted.
    ///
    /// Ids stored by an earlier version are missing until they are used again.
    /// - Parameter size: the log size below which an id must have been stored.
    func ids(of handle: CustomerHandle, createdBefore size: Position = .max) throws -> [String] {
        let (tokens, sealed) = try reading { store, transaction in
            (try store.tokens(of: handle, transaction), try store.sealedIDs(of: handle, transaction))
        }
        let opened = try sealed.filter { $0.createdAt < size }.map {
            String(decoding: try key.open($0.id, boundTo: handle.bytes), as: UTF8.self)
        }
        return (tokens.filter { $0.createdAt < size }.map(\.token.text) + opened).sorted()
    }

    /// Whether a customer has no external id; nil when there is no such customer.
    func isAnonymous(_ handle: CustomerHandle) throws -> Bool? {
        try reading { store, transaction in try store.isAnonymous(handle, transaction) }
    }

    /// Copies the vault with its key, as of `size` events in the log, into a folder that has neither.
    ///
    /// Newer ids are omitted: the copy's log continues at that size, so these ids would belong to the future.
    /// - Throws: `map_full`, `disk_full`, `io_error`.
    func copy(from folder: DataFolder, to other: DataFolder, createdUpTo size: Position) throws {
        do {
            let store = try store.current()
            let copy = try VaultStore(
                directory: other.vault, mapSizeBytes: store.environment.options.mapSizeBytes, readOnly: false)
            try store.copy(to: copy, createdUpTo: size)
        } catch let error as LMDBError {
            throw StorageError(error, while: "copying the vault failed")
        }
        try DataFolder.copySmallFiles(named: ["vault.key"], from: folder.keys, to: other.keys)
    }

    func reading<Result>(
        _ body: (VaultStore, borrowing ReadTransaction) throws -> Result
    ) throws -> Result {
        let store = try store.current()
        do {
            return try store.environment.read { try body(store, $0) }
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the vault failed")
        }
    }
}

extension VaultKey {
    /// The code of the empty id, which identifies the key without revealing it. No id is empty, so no id has this code.
    var check: [UInt8] { code(of: []).bytes }
}
