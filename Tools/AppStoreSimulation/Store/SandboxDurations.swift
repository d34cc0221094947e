import AppStoreModel
import Primitives

/// The durations in a store: those of the calendar, or the short ones of Apple's sandbox, where a month takes five
/// minutes.
/// https://developer.apple.com/help/app-store-connect/test-in-app-purchases/manage-sandbox-apple-account-settings
extension StoreConfiguration {
    /// Milliseconds of a day in the sandbox: a thirtieth of five minutes.
    private static let sandboxDay: Int64 = 10_000
    /// The number of times that a subscription renews by itself in the sandbox.
    private static let sandboxRenewals = 12

    func end(of period: SubscriptionPeriod, from start: Instant) -> Instant {
        guard isAccelerated else { return period.end(from: start) }
        let months: Int64 =
            switch period.unit {
            case .day, .week: 0
            case .month: period.count
            case .year: period.count * 12
            }
        return start.advanced(byMilliseconds: max(3, 5 * months) * Instant.millisecondsPerMinute)
    }

    func milliseconds(ofDays days: Int64) -> Int64 {
        days * (isAccelerated ? Self.sandboxDay : Instant.millisecondsPerDay)
    }

    /// The longest gap in service, in milliseconds, that `recentSubscriptionStartDate` ignores.
    var longestGap: Int64 {
        isAccelerated ? 10 * Instant.millisecondsPerMinute : PaidService.longestGap
    }

    /// Whether a subscription renews once more by itself, after its last purchase and the renewals since.
    func renewsAgain(_ subscription: Subscription) -> Bool {
        guard isAccelerated else { return true }
        return subscription.charges.reversed().prefix { $0.reason == .renewal }.count < Self.sandboxRenewals
    }
}
