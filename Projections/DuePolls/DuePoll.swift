import AppStoreModel
package import LedgerModel
package import Primitives

/// The next question about an account: keys that Apple answers with one call.
package struct DuePoll: Hashable, Sendable {
    /// The key that is asked about.
    package let key: SubscriptionKey
    package let reason: PollReason
    package let question: PollQuestion
    package let dueAt: Instant
    /// The number of the question for this reason, from 1.
    package let attempt: Int

    /// Whether this poll is taken before another at `t`: of those due, the more urgent; of others, the earlier.
    package func precedes(_ other: DuePoll, at t: Instant) -> Bool {
        let (isDue, otherIsDue) = (dueAt <= t, other.dueAt <= t)
        if isDue != otherIsDue { return isDue }
        if isDue, reason != other.reason { return reason.urgency < other.reason.urgency }
        if dueAt != other.dueAt { return dueAt < other.dueAt }
        return reason.urgency < other.reason.urgency
    }

    /// Returns the poll, due at another instant.
    package func due(at instant: Instant) -> DuePoll {
        DuePoll(key: key, reason: reason, question: question, dueAt: instant, attempt: attempt)
    }

    /// The poll with its due time moved by up to a tenth of the interval, at most 15 minutes, so that polls of one minute
    /// are spread. The same poll always moves by the same time.
    func jittered(interval: Int64) -> DuePoll {
        let range = min(interval / 10, 15 * Instant.millisecondsPerMinute)
        guard range > 0 else { return self }
        let text = "\(key.environment.rawValue) \(key.bundleId) \(key.originalTransactionId) \(dueAt.milliseconds)"
        let moved = Int64(Digest.sha256(of: text.utf8).firstHalf % UInt128(range))
        return due(at: dueAt.advanced(byMilliseconds: moved))
    }
}

/// The times of the questions about an account.
package struct AskedAccount: Hashable, Sendable {
    /// The last question, answered or not.
    package var attemptedAt: Instant?
    package var answeredAt: Instant?
    /// The last time all transactions were answered.
    package var historyAt: Instant?
    /// The last question for transactions without an answer.
    package var historyFailedAt: Instant?

    package init(
        attemptedAt: Instant? = nil, answeredAt: Instant? = nil, historyAt: Instant? = nil,
        historyFailedAt: Instant? = nil
    ) {
        self.attemptedAt = attemptedAt
        self.answeredAt = answeredAt
        self.historyAt = historyAt
        self.historyFailedAt = historyFailedAt
    }

    /// The last question of either kind.
    var lastAsked: Instant? { [attemptedAt, answeredAt].compactMap(\.self).max() }

    func isAnswered(since instant: Instant) -> Bool { answeredAt.map { $0 >= instant } ?? false }
}
