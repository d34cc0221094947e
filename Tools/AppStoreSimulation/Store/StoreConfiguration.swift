package import AppStoreModel
import Primitives

/// The app of a simulated App Store, and the behaviour of the store.
///
/// The defaults are punctual: changes are signed in the millisecond they happen, periods are charged at their end.
package struct StoreConfiguration: Sendable {
    package var bundleId = "com.example.app"
    /// Nil omits it from signed payloads, as Apple documents for the sandbox.
    package var appAppleId: Int64? = 1_234_567_890
    package var environment = Environment.production
    package var catalog = StoreCatalog.standard
    /// Nil sends a failed renewal straight to billing retry.
    package var gracePeriod: BillingGracePeriod? = BillingGracePeriod()
    /// Milliseconds from a change to its signature.
    package var signingDelay: ClosedRange<Int64> = 0...0
    /// Milliseconds from the charge for the next period to the end of the running one, at most 24 hours.
    package var chargeLead: ClosedRange<Int64> = 0...0
    package var delivery = NotificationDelivery()
    /// Whether durations are the short ones of the sandbox.
    package var isAccelerated = false
    /// Whether the App Store notifies the app's server. Otherwise devices post transactions, the only source.
    package var notifies = true
    /// Whether the app can ask the App Store, which then tells about the next renewal, too.
    package var answers = false
    /// Whether notifications can also be sent in version 1, which state all purchases of the account.
    package var writesVersion1 = false

    /// The version of the app on devices, and the one first downloaded.
    let applicationVersion = "42"
    let firstApplicationVersion = "40"
    let versionExternalIdentifier: Int64 = 850_000_042

    package init() {}

    /// The behaviour observed in the App Store: signatures some seconds after the change, charges up to 24 hours ahead,
    /// and notifications that arrive late, twice or never.
    package static var lifelike: StoreConfiguration {
        var configuration = StoreConfiguration()
        configuration.signingDelay = 400...4_000
        configuration.chargeLead = 0...Instant.millisecondsPerDay
        configuration.delivery = NotificationDelivery(lostPercent: 2, latePercent: 3, retryPercent: 3)
        return configuration
    }
}

/// The percentages of notifications that are lost, late or delivered twice.
package struct NotificationDelivery: Sendable {
    package var lostPercent = 0
    package var latePercent = 0
    package var retryPercent = 0

    package init(lostPercent: Int = 0, latePercent: Int = 0, retryPercent: Int = 0) {
        self.lostPercent = lostPercent
        self.latePercent = latePercent
        self.retryPercent = retryPercent
    }

    /// Milliseconds from the signing to the delivery of a late notification.
    static let lateness = Instant.millisecondsPerHour...3 * Instant.millisecondsPerDay
    /// Hours from the first notification to each retry. Apple documents retries after 1, 12, 24, 48 and 72 further
    /// hours.
    static let retryHours: [Int64] = [1, 13, 37, 85, 157]
}

/// The form in which the App Store signs a Billing Grace Period.
package enum GraceSignature: Sendable {
    case documented
    /// isInBillingRetryPeriod false, with gracePeriodExpiresDate.
    case withoutRetryFlag
    /// Status 4 and no gracePeriodExpiresDate, seen in production.
    case withoutDate
}

/// Apple's Billing Grace Period: the time for which service continues after a failed renewal.
package struct BillingGracePeriod: Sendable {
    /// 3, 16 or 28; for weekly subscriptions at most `weeklyDays`.
    package var days: Int64 = 16
    /// Whether only paid periods get grace, so that a free trial that fails to renew gets none.
    package var onlyPaidToPaid = true

    package static let weeklyDays: Int64 = 6

    package init() {}
}

/// The storefront of a customer's Apple Account.
package struct Storefront: Sendable {
    /// ISO 3166-1 alpha-3.
    package let code: String
    package let id: String
    package let currency: String
    /// Local milliunits per milliunit of the United States price.
    package let factor: Int64

    package static let all = [
        Storefront(code: "USA", id: "143441", currency: "USD", factor: 1),
        Storefront(code: "DEU", id: "143443", currency: "EUR", factor: 1),
        Storefront(code: "JPN", id: "143462", currency: "JPY", factor: 100),
        Storefront(code: "AUS", id: "143460", currency: "AUD", factor: 2),
    ]
    package static let unitedStates = all[0]
}
