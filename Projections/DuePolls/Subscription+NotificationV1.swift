import LedgerModel
import Primitives

extension Subscription {
    /// Returns the poll that the newest notification of version 1 calls for, also where nothing else is known of the
    /// subscription; nil when Apple has answered since.
    func pollAfterNotificationV1(_ asked: AskedAccount, _ policy: PollPolicy) -> DuePoll? {
        let told = notifications.lazy.filter { $0.source.rank == .notificationV1 }.map(\.source.recordedAt).max()
        guard let told, !asked.isAnswered(since: told) else { return nil }
        // Nothing proves the length of a period yet.
        let waits = PollWaits(policy, key, length: Instant.millisecondsPerHour)
        let unanswered = asked.lastAsked.flatMap { $0 >= told ? $0 : nil }
        let (attempt, at, _) = waits.question(from: told, after: unanswered)
        return DuePoll(key: key, reason: .notificationV1, question: .statuses, dueAt: at, attempt: attempt)
    }
}
