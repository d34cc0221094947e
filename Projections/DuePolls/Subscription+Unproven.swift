import LedgerModel
import Primitives

extension Subscription {
    /// The polls that words call for which prove nothing: the newest receipt of iOS 6 and the newest notification of
    /// version 1, also where nothing else is known of the subscription. None when Apple has answered since.
    func pollsAfterUnprovenWords(_ asked: AskedAccount, _ policy: PollPolicy) -> [DuePoll] {
        let notified = notifications.lazy.map(\.source).filter { $0.rank == .notificationV1 }
        let told = [
            (PollReason.token, transactionReceipts.map(\.recordedAt).max()),
            (.notificationV1, notified.map(\.recordedAt).max()),
        ]
        return told.compactMap { reason, recordedAt in
            recordedAt.flatMap { poll(for: reason, since: $0, asked, policy) }
        }
    }

    private func poll(
        for reason: PollReason, since told: Instant, _ asked: AskedAccount, _ policy: PollPolicy
    ) -> DuePoll? {
        guard !asked.isAnswered(since: told) else { return nil }
        // Nothing proves the length of a period yet.
        let waits = PollWaits(policy, key, length: Instant.millisecondsPerHour)
        let unanswered = asked.lastAsked.flatMap { $0 >= told ? $0 : nil }
        let (attempt, at, _) = waits.question(from: told, after: unanswered)
        return DuePoll(key: key, reason: reason, question: .statuses, dueAt: at, attempt: attempt)
    }
}
