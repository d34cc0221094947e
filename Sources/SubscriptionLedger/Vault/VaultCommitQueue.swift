import Dispatch
import LMDB
import LedgerModel
import LedgerStorage
import Synchronization

/// Stores customers durably. Requests that arrive during a commit share the next one.
final class VaultCommitQueue: Sendable {
    private struct Request {
        let entry: CustomerEntry
        let answer: CheckedContinuation<CustomerHandle, any Error>
    }

    /// The maximum number of waiting requests. Further requests fail with `busy`.
    static let limit = 8_192

    private let database: RecoverableEnvironment<VaultStore>
    private let waiting = Mutex<[Request]>([])
    /// Commits wait for the disk, which would block a thread of the cooperative pool.
    private let queue = DispatchQueue(label: "vault")

    init(_ store: RecoverableEnvironment<VaultStore>) {
        database = store
    }

    /// - Throws: `busy`, `map_full`, `disk_full`, `io_error`. The same call may be repeated.
    func store(_ entry: CustomerEntry) async throws -> CustomerHandle {
        try await withCheckedThrowingContinuation { continuation in
            let isAccepted = waiting.withLock { waiting in
                guard waiting.count < Self.limit else { return false }
                waiting.append(Request(entry: entry, answer: continuation))
                return true
            }
            if isAccepted {
                queue.async { self.commitWaiting() }
            } else {
                continuation.resume(
                    throwing: StorageError(.busy, "the vault queue is full", hint: "Try again."))
            }
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
            for (request, handle) in zip(group, handles) { request.answer.resume(returning: handle) }
        } catch let error as LMDBError {
            // If reopening fails, the next request tries it again.
            if !StorageError.isNoRoom(error) { try? database.reopen() }
            let failure = StorageError(error, while: "writing the vault failed")
            for request in group { request.answer.resume(throwing: failure) }
        } catch {
            for request in group { request.answer.resume(throwing: error) }
        }
    }
}
