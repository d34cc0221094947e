import AppStoreModel
import LedgerModel
import Primitives

/// The intervals of polling, in milliseconds.
package struct PollPolicy: Hashable, Sendable {
    /// The wait after the end of a period.
    package var afterPeriodEnd = Instant.millisecondsPerMinute
    /// The time before the end of a period, at most a quarter of the period.
    package var beforePeriodEnd = Instant.millisecondsPerDay
    /// The waits after the first question, ascending. Then follows one a day.
    package var retry = [1, 6, 24].map { $0 * Instant.millisecondsPerHour }
    /// The days after the end of a period in which it is asked about.
    package var retryForDays = 60

    package init() {}

    /// https://developer.apple.com/documentation/appstoreserverapi/get-all-subscription-statuses has no push for a
    /// subscription that nothing happens to; a month is the most common period.
    static let sweepDays: Int64 = 35
    /// The days after a cancellation in which its reversal is asked about.
    static let reversalDays: Int64 = 180
    /// The wait for a notification with the renewal info of a transaction that a device posted.
    static let renewalInfo = Instant.millisecondsPerHour
    static let afterGraceEnd = Instant.millisecondsPerMinute
    /// Outside Production, periods last minutes and Apple retries for a day.
    static let retryDaysOutsideProduction = 1
}

/// The waits for one period: those of the policy, outside Production at most a tenth of the period.
struct PollWaits {
    private let longest: Int64
    private let policy: PollPolicy
    private let isProduction: Bool
    private let length: Int64

    init(_ policy: PollPolicy, _ key: SubscriptionKey, length: Int64) {
        self.policy = policy
        self.length = max(length, 0)
        isProduction = key.environment == .production
        longest = isProduction ? .max : max(self.length / 10, 1_000)
    }

    var day: Int64 { min(Instant.millisecondsPerDay, longest) }
    var afterPeriodEnd: Int64 { min(policy.afterPeriodEnd, longest) }
    var beforePeriodEnd: Int64 { min(policy.beforePeriodEnd, length / 4, longest) }
    var afterGraceEnd: Int64 { min(PollPolicy.afterGraceEnd, longest) }
    var renewalInfo: Int64 { min(PollPolicy.renewalInfo, longest) }
    /// From the end of the period to the last question about it.
    var retrying: Int64 {
        Int64(isProduction ? policy.retryForDays : PollPolicy.retryDaysOutsideProduction) * Instant.millisecondsPerDay
    }

    /// Returns the number and the instant of the first question after `asked`, of those at `first`, after each wait, and
    /// then once a day.
    func question(from first: Instant, after asked: Instant?) -> (attempt: Int, at: Instant, interval: Int64) {
        let retry = policy.retry.map { min($0, longest) }
        guard let asked, asked >= first else { return (1, first, retry.first ?? day) }
        var attempt = 2
        var last: Int64 = 0
        for wait in retry {
            let at = first.advanced(byMilliseconds: wait)
            if at > asked { return (attempt, at, wait) }
            (attempt, last) = (attempt + 1, wait)
        }
        let start = first.advanced(byMilliseconds: last)
        let passed = (asked.milliseconds - start.milliseconds) / day + 1
        return (attempt + Int(passed) - 1, start.advanced(byMilliseconds: passed * day), day)
    }
}
