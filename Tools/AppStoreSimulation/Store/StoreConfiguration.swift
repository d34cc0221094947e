package import AppStoreModel
import Primitives

/// The app that a simulated App Store sells for, and the store's habits.
///
/// As it stands, everything is punctual: signed in the millisecond it happens, charged at the end of the period.
package struct StoreConfiguration: Sendable {
    package var bundleId = "com.example.app"
    /// Nil is left out of what is signed, as Apple documents it for the sandbox.
    package var appAppleId: Int64? = 1_234_567_890
    package var environment = Environment.production
    package var catalog = StoreCatalog.standard
    /// Nil: a failed renewal goes straight to billing retry.
    package var gracePeriod: BillingGracePeriod? = BillingGracePeriod()
    /// Milliseconds from a change to its signature.
    package var signingDelay: ClosedRange<Int64> = 0...0
    /// Milliseconds before the end of a period at which the next is charged, at most 24 hours.
    package var chargeLead: ClosedRange<Int64> = 0...0
    package var delivery = NotificationDelivery()
    /// Whether the App Store notifies the app's server. Else all that is known is what devices post: transactions.
    package var notifies = true

    package init() {}

    /// Signatures some seconds after the fact, charges up to 24 hours ahead, and notifications that come late, twice or
    /// never, as seen of the App Store.
    package static var lifelike: StoreConfiguration {
        var configuration = StoreConfiguration()
        configuration.signingDelay = 400...4_000
        configuration.chargeLead = 0...Instant.millisecondsPerDay
        configuration.delivery = NotificationDelivery(lostPercent: 2, latePercent: 3, retryPercent: 3)
        return configuration
    }
}

/// How many of a hundred notifications do not come once and at once.
package struct NotificationDelivery: Sendable {
    package var lostPercent = 0
    package var latePercent = 0
    package var retryPercent = 0

    package init(lostPercent: Int = 0, latePercent: Int = 0, retryPercent: Int = 0) {
        self.lostPercent = lostPercent
        self.latePercent = latePercent
        self.retryPercent = retryPercent
    }

    /// Milliseconds.
    static let lateness = Instant.millisecondsPerHour...3 * Instant.millisecondsPerDay
    /// After 1, 12, 24, 48 and 72 further hours, as Apple documents.
    static let retryHours: [Int64] = [1, 13, 37, 85, 157]
}

/// How the App Store signs a Billing Grace Period.
package enum GraceSignature: Sendable {
    case documented
    /// isInBillingRetryPeriod false beside gracePeriodExpiresDate.
    case withoutRetryFlag
    /// Status 4 and no gracePeriodExpiresDate, seen in production.
    case withoutDate
}

/// Apple's Billing Grace Period: how long service goes on after a failed renewal.
package struct BillingGracePeriod: Sendable {
    /// 3, 16 or 28; for weekly subscriptions never more than `weeklyDays`.
    package var days: Int64 = 16
    /// Whether a free trial that fails to become paid is left out.
    package var onlyPaidToPaid = true

    package static let weeklyDays: Int64 = 6

    package init() {}
}

/// Where a customer buys.
package struct Storefront: Sendable {
    /// ISO 3166-1 alpha-3.
    package let code: String
    package let id: String
    package let currency: String
    /// What one milliunit of a United States price becomes.
    package let factor: Int64

    package static let all = [
        Storefront(code: "USA", id: "143441", currency: "USD", factor: 1),
        Storefront(code: "DEU", id: "143443", currency: "EUR", factor: 1),
        Storefront(code: "JPN", id: "143462", currency: "JPY", factor: 100),
        Storefront(code: "AUS", id: "143460", currency: "AUD", factor: 2),
    ]
    package static let unitedStates = all[0]
}
