import LedgerModel
import Primitives

extension Subscription {
    /// The polls for statements that prove nothing: the newest receipt of iOS 6 and the newest notification of version 1,
    /// also where nothing else is known of the subscription. None when Apple has answered since.
    func pollsForUnprovenStatements(_ asked: AskedAccount, _ policy: PollPolicy) -> [DuePoll] {
        let notified = notifications.lazy.map(\.source).filter { $0.rank == .notificationV1 }
        let received = [
            (PollReason.token, transactionReceipts.map(\.recordedAt).max()),
            (.notificationV1, notified.map(\.recordedAt).max()),
        ]
        return received.compactMap { reason, recordedAt in
            recordedAt.flatMap { poll(for: reason, since: $0, asked, policy) }
        }
    }

    private func poll(
        for reason: PollReason, since recordedAt: Instant, _ asked: AskedAccount, _ policy: PollPolicy
    ) -> DuePoll? {
        guard !asked.isAnswered(since: recordedAt) else { return nil }
        // Nothing proves the length of a period yet.
        let waits = PollWaits(policy, key, length: Instant.millisecondsPerHour)
        let unanswered = asked.lastAsked.flatMap { $0 >= recordedAt ? $0 : nil }
        let (attempt, at, _) = waits.question(from: recordedAt, after: unanswered)
        return DuePoll(key: key, reason: reason, question: .statuses, dueAt: at, attempt: attempt)
    }
}
