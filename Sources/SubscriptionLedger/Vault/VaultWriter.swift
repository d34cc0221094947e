import LMDB
import LedgerModel
import LedgerStorage
import Primitives

/// Writes the vault, for the process that writes the log.
final class VaultWriter: Sendable {
    let reader: VaultReader
    private let queue: VaultCommitQueue
    private let folder: DataFolder

    /// Creates the writer, and at first use the vault with its key.
    /// - Throws: `io_error` when the key is missing, belongs to another vault, or is readable by other users.
    init(_ folder: DataFolder, mapSizeBytes: Int) throws {
        let store = try VaultReader.opening(folder, mapSizeBytes: mapSizeBytes, readOnly: false)
        let current = try store.current()
        let key: VaultKey
        if let keyCheck = try current.storedKeyCheck() {
            key = try VaultReader.key(of: folder, keyCheck)
        } else {
            key = try VaultKey.load(from: folder) ?? VaultKey.make(in: folder)
            try current.store(keyCheck: key.check)
        }
        self.folder = folder
        reader = VaultReader(store, key: key)
        queue = VaultCommitQueue(store)
    }

    /// Returns the customer of an id, or a new customer when there is none. The customer is durable on return.
    func findOrCreateCustomer(_ id: ExternalCustomerID, logSize: Position) async throws -> CustomerHandle {
        let code = reader.key.code(of: id.bytes)
        let known = try reader.reading { store, transaction -> (handle: CustomerHandle, isComplete: Bool)? in
            guard let handle = try store.customer(ofID: code, transaction)?.handle else { return nil }
            let isComplete = try id.token != nil || store.hasSealedID(code, of: handle, transaction)
            return (handle, isComplete)
        }
        if let known, known.isComplete { return known.handle }
        return try await add(id, to: known?.handle ?? .random(), logSize: logSize)
    }

    /// Returns a new customer without an external id. The customer is durable on return.
    func createAnonymousCustomer(logSize: Position) async throws -> CustomerHandle {
        try await queue.store(CustomerEntry(id: nil, handle: .random(), logSize: logSize))
    }

    /// Refuses new customers and ids, which are then `busy`, and waits for those being stored.
    func pause() async throws { try await queue.pause() }

    func resume() { queue.resume() }

    /// Forgets customers, with all their ids.
    /// - Precondition: the vault is paused.
    func forget(_ customers: Set<CustomerHandle>) throws {
        try VaultStore.forget(customers, in: folder, from: try reader.store.current())
        try reader.store.openReplacement()
        try VaultStore.removeAside(in: folder)
    }

    /// Adds an id to a customer. An id that already has a customer keeps it.
    /// - Returns: the customer of the id.
    func add(_ id: ExternalCustomerID, to handle: CustomerHandle, logSize: Position) async throws -> CustomerHandle {
        let key = reader.key
        // The ciphertext is bound to its customer. Moved to another customer in the file, it does not decrypt.
        let text: CustomerEntry.ID.Text =
            try id.token.map { .token($0) } ?? .sealed(key.seal(id.bytes, boundTo: handle.bytes))
        let entry = CustomerEntry.ID(code: key.code(of: id.bytes), text: text)
        return try await queue.store(CustomerEntry(id: entry, handle: handle, logSize: logSize))
    }
}

extension CustomerHandle {
    /// Returns an unpredictable handle from the system's random number generator.
    static func random() -> CustomerHandle {
        CustomerHandle(value: .random(in: .min ... .max))
    }
}
