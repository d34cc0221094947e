package import Primitives

/// The decisions that a business may configure, as one value.
package struct Rules: Hashable, Sendable {
    /// A name for people, which decides nothing.
    package var name = "default"
    package var access = Access()
    package var intro = Intro()
    package var retention = Retention()
    package var churn = Churn()
    package var revenue = Revenue()
    package var customers = Customers()

    package init() {}
}

extension Rules {
    /// The form of a name of rules, and of the person or key that activates them.
    package static let nameForm = "1 to 100 bytes without control characters"

    /// Whether a text has `nameForm`. It then fits into the body of an event even when every byte is escaped.
    package static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension Rules {
    /// The rules of access where Apple's statements alone do not decide it.
    package struct Access: Hashable, Sendable {
        package enum ProratedRefund: String, Sendable, CaseIterable { case revoke, keepToExpiry }

        /// The number of days of billing retry with full access, from the end of the period.
        package var ownGraceDays = 0
        /// The number of days after those with limited access.
        package var limitedAccessDays = 0
        /// The minutes to wait for an overdue renewal. Outside Production, at most 5 and at most a tenth of the period.
        package var renewalLeewayMinutes = 60
        package var proratedRefund = ProratedRefund.revoke

        package init() {}
    }

    /// The rules of introductory offers where Apple's statements alone do not decide it.
    package struct Intro: Hashable, Sendable {
        /// The Apple accounts whose purchases count: all that a customer used, or the one with the newest purchase.
        package enum Account: String, Sendable, CaseIterable { case customer, account }

        package var account = Account.customer

        package init() {}
    }

    /// The rules of retention. Each definition keeps its meaning; another one gets another name.
    package struct Retention: Hashable, Sendable {
        package enum Definition: String, Sendable, CaseIterable {
            case `default`
            case calendarMonth = "calendar-month"
            case renewals
            case revenueCat = "revenuecat-2024-10"
            case appStoreConnect = "app-store-connect"
        }

        /// The gaps between a failed renewal and its recovery that count as retained: none, those that Apple's grace
        /// period covers, or all in which Apple retried the charge.
        package enum Bridge: String, Sendable, CaseIterable { case none, grace, retry }

        package enum Weekday: String, Sendable, CaseIterable { case monday, sunday }

        package var definition = Definition.default
        package var bridge = Bridge.grace
        /// The name of the time zone of calendars, in the tz database.
        package var zone = "UTC"
        package var weekStartsOn = Weekday.monday

        package init() {}

        /// The time zone of the definition.
        package var zoneInForce: String {
            definition == .appStoreConnect ? "America/Los_Angeles" : zone
        }
    }

    /// The rules of subscribers who leave and come back.
    package struct Churn: Hashable, Sendable {
        /// The days after a failed renewal from which the subscriber is gone.
        package var retryDays = 60
        /// The days after the end of service between which an offer may win the subscriber back.
        package var winBackFromDays = 1
        package var winBackToDays = 730

        package init() {}
    }

    /// The rules of recurring revenue and of Apple's commission.
    package struct Revenue: Hashable, Sendable {
        /// The revenue of a month: each definition keeps its meaning.
        package enum RecurringRevenue: String, Sendable, CaseIterable {
            case `default`
            case revenueCat = "revenuecat-2024-10"
            case iapkit
        }

        /// The share of the price that Apple pays out, in hundredths of a percent.
        package var standardRate = 7_000
        /// The share after `higherAfterPaidDays`, and in the Small Business Program.
        package var higherRate = 8_500
        package var higherAfterPaidDays = 365
        /// The days without a subscription from which the paid days start from 0.
        package var gapResetsAfterDays = 60
        /// The times in which the developer was in Apple's Small Business Program.
        package var smallBusiness: [Span] = []
        package var mrr = RecurringRevenue.default

        package init() {}
    }

    /// The time from an instant until another; without end if that is nil.
    package struct Span: Hashable, Sendable {
        package let from: Instant
        package let until: Instant?

        /// Nil when the end does not follow the start.
        package init?(from: Instant, until: Instant?) {
            if let until, until <= from { return nil }
            (self.from, self.until) = (from, until)
        }

        package func contains(_ t: Instant) -> Bool { from <= t && until.map { t < $0 } ?? true }
    }

    package struct Customers: Hashable, Sendable {
        /// The owner of a key that two customers claim with equal strength.
        package enum ClaimConflict: String, Sendable, CaseIterable { case keepFirst, move, share }

        package var claimConflict = ClaimConflict.keepFirst

        package init() {}
    }
}
