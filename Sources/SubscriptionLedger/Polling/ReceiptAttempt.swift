import AppStoreClient
import DuePolls
import Primitives

/// The last question to verifyReceipt about an account that Apple did not answer with purchases.
struct ReceiptAttempt: Hashable, Sendable {
    let at: Instant
    /// The statuses in succession that a later question may cure.
    let failures: Int
    /// The SHA-256 of the content of a receipt that is of no use any more.
    let retired: Digest?

    /// The minutes after each failure.
    private static let minutes: [Int64] = [1, 4, 16, 60]
    /// The failures to read a receipt after which it counts as refused.
    private static let unreadableLimit = 3

    /// - Parameters:
    ///   - outcome: that of a question which Apple did not answer with purchases.
    ///   - content: the SHA-256 of the content of the receipt.
    init(_ outcome: VerifyReceiptReply.Outcome, after earlier: Self?, of content: Digest, at now: Instant) {
        at = now
        let failures = (earlier?.failures ?? 0) + 1
        switch outcome {
        case .refused: (self.failures, retired) = (0, content)
        case .unreadable:
            (self.failures, retired) = (failures, failures >= Self.unreadableLimit ? content : nil)
        case .answered, .retryable, .misconfigured: (self.failures, retired) = (failures, nil)
        }
    }

    /// Creates the note that an answer came.
    init(answeredAt now: Instant) {
        (at, failures, retired) = (now, 0, nil)
    }

    init(at: Instant, failures: Int, retired: Digest?) {
        (self.at, self.failures, self.retired) = (at, failures, retired)
    }

    /// The instant of the next question; nil when the usual one is soon enough.
    var nextAt: Instant? {
        guard failures > 0, failures <= Self.minutes.count else { return nil }
        return at.advanced(byMilliseconds: Self.minutes[failures - 1] * Instant.millisecondsPerMinute)
    }
}
