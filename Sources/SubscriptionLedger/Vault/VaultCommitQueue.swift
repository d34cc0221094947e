import Dispatch
import LMDB
import LedgerModel
import LedgerStorage
import Synchronization

/// Stores customers durably. Requests that arrive during a commit share the next one.
final class VaultCommitQueue: Sendable {
    private final class Request: Sendable {
        let entry: CustomerEntry
        /// nil until the commit.
        let result = Mutex<Result<CustomerHandle, any Error>?>(nil)

        init(_ entry: CustomerEntry) {
            self.entry = entry
        }
    }

    /// The maximum number of waiting requests. Further requests fail with `busy`.
    static let limit = 8_192

    private let database: RecoverableEnvironment<VaultStore>
    private let waiting = Mutex<[Request]>([])
    private let isPaused = Mutex(false)
    private let queue = DispatchQueue(label: "vault")

    init(_ store: RecoverableEnvironment<VaultStore>) {
        database = store
    }

    /// Stores nothing more until `resume`.
    func pause() async throws {
        isPaused.withLock { $0 = true }
        try await queue.run { self.commitWaiting() }
    }

    func resume() { isPaused.withLock { $0 = false } }

    /// - Throws: `busy`, `map_full`, `disk_full`, `io_error`. The same call may be repeated.
    func store(_ entry: CustomerEntry) async throws -> CustomerHandle {
        let request = Request(entry)
        // Held while the request is added, so that none is added after a pause.
        let isAccepted = isPaused.withLock { isPaused in
            !isPaused && add(request)
        }
        guard isAccepted else {
            throw StorageError(.busy, "the vault queue is full or paused", hint: "Try again.")
        }
        // By the end of this call's turn, this commit or an earlier one has included its request.
        return try await queue.run {
            self.commitWaiting()
            guard let result = request.result.withLock({ $0 }) else { preconditionFailure("its turn has passed") }
            return try result.get()
        }
    }

    /// - Returns: false when too many requests wait.
    private func add(_ request: Request) -> Bool {
        waiting.withLock { waiting in
            guard waiting.count < Self.limit else { return false }
            waiting.append(request)
            return true
        }
    }

    private func commitWaiting() {
        let group = waiting.withLock { waiting in
            let group = waiting
            waiting.removeAll()
            return group
        }
        guard !group.isEmpty else { return }
        do {
            let store = try database.currentOrReopened()
            let handles = try store.environment.write { transaction in
                try group.map { try store.put($0.entry, &transaction) }
            }
            for (request, handle) in zip(group, handles) { request.result.withLock { $0 = .success(handle) } }
        } catch let error as LMDBError {
            // If reopening fails, the next request tries it again.
            if !StorageError.isNoRoom(error) { try? database.reopen() }
            let failure = StorageError(error, while: "writing the vault failed")
            for request in group { request.result.withLock { $0 = .failure(failure) } }
        } catch {
            for request in group { request.result.withLock { $0 = .failure(error) } }
        }
    }
}
