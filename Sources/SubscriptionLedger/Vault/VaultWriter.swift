import Dispatch
import EventLog
import LMDB
import LedgerModel
import Synchronization

/// Stores customers durably. Requests that arrive during a commit share the next one.
final class VaultWriter: Sendable {
    private struct Request {
        let enrolment: Enrolment
        let answer: CheckedContinuation<CustomerHandle, any Error>
    }

    /// The number of waiting requests at most; further ones fail with `busy`.
    static let limit = 8_192

    private let store: Reopenable<VaultStore>
    private let waiting = Mutex<[Request]>([])
    /// Commits wait for the disk, which would block a thread of the cooperative pool.
    private let queue = DispatchQueue(label: "vault")

    init(_ store: Reopenable<VaultStore>) {
        self.store = store
    }

    /// - Throws: `busy`, `map_full`, `disk_full`, `io_error`. The same call may be repeated.
    func enrol(_ enrolment: Enrolment) async throws -> CustomerHandle {
        try await withCheckedThrowingContinuation { continuation in
            let isAccepted = waiting.withLock { waiting in
                guard waiting.count < Self.limit else { return false }
                waiting.append(Request(enrolment: enrolment, answer: continuation))
                return true
            }
            if isAccepted {
                queue.async { self.commitWaiting() }
            } else {
                continuation.resume(
                    throwing: EventLogError(.busy, "too many customers wait to be stored", hint: "Try again."))
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
            let store = try store.currentOrReopened()
            let handles = try store.environment.write { transaction in
                try group.map { try store.enrol($0.enrolment, &transaction) }
            }
            for (request, handle) in zip(group, handles) { request.answer.resume(returning: handle) }
        } catch let error as LMDBError {
            // If reopening fails, the next request tries it again.
            if !EventLogError.isNoRoom(error) { try? store.reopen() }
            let failure = EventLogError(error, while: "the vault was not written")
            for request in group { request.answer.resume(throwing: failure) }
        } catch {
            for request in group { request.answer.resume(throwing: error) }
        }
    }
}
