package import Primitives

/// Everything a business may decide differently, as one value. The defaults are those of `rules.yaml`.
package struct Rules: Hashable, Sendable {
    /// Of the form of this value.
    package var version = 1
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
    /// What opens access where Apple's words alone do not settle it.
    package struct Access: Hashable, Sendable {
        package enum ProratedRefund: String, Sendable, CaseIterable { case revoke, keepToExpiry }

        /// Full access for so many days of billing retry.
        package var ownGraceDays = 0
        /// Limited access for so many days after those.
        package var limitedAccessDays = 0
        /// How long a renewal that should have come is waited for; outside Production at most 5.
        package var renewalLeewayMinutes = 60
        package var proratedRefund = ProratedRefund.revoke
        package var v1GrantsAccess = false

        package init() {}
    }

    /// What uses up an introductory offer.
    package struct Intro: Hashable, Sendable {
        package enum Scope: String, Sendable, CaseIterable { case group }
        package enum Account: String, Sendable, CaseIterable { case customer, account }
        package enum FamilyShared: String, Sendable, CaseIterable { case ignore }
        package enum Refunded: String, Sendable, CaseIterable { case consumes }

        package var scope = Scope.group
        package var account = Account.customer
        package var familyShared = FamilyShared.ignore
        package var refunded = Refunded.consumes
        package var trialFlagWithPromotionCounts = true

        package init() {}
    }

    /// How cohorts are formed and who counts as retained.
    package struct Retention: Hashable, Sendable {
        package enum Definition: String, Sendable, CaseIterable {
            case `default`, revenuecat
            case adaptyRenewals = "adapty-renewals"
            case appStoreConnect = "app-store-connect"
        }
        package enum Anchor: String, Sendable, CaseIterable { case firstPaid }
        package enum Interval: String, Sendable, CaseIterable { case billingPeriod }
        package enum Weekday: String, Sendable, CaseIterable {
            case monday, tuesday, wednesday, thursday, friday, saturday, sunday
        }
        package enum Resubscribe: String, Sendable, CaseIterable { case creditOriginal }
        package enum PlanChange: String, Sendable, CaseIterable { case keep }

        package var definition = Definition.default
        package var anchor = Anchor.firstPaid
        package var interval = Interval.billingPeriod
        /// A name of the time zone database.
        package var zone = "UTC"
        package var weekStartsOn = Weekday.monday
        package var graceRetained = true
        package var retryRetained = false
        package var resubscribe = Resubscribe.creditOriginal
        package var planChange = PlanChange.keep

        package init() {}
    }

    package struct Churn: Hashable, Sendable {
        package var retryDays = 60
        package var winBackFromDays = 1
        package var winBackToDays = 730

        package init() {}
    }

    /// Rates are basis points of the price.
    package struct Revenue: Hashable, Sendable {
        package enum MRR: String, Sendable, CaseIterable {
            case `default`
            case revenuecat202410 = "revenuecat-2024-10"
            case iapkit
        }

        /// Over [from, until); nil while it lasts.
        package struct Membership: Hashable, Sendable {
            package var from: Instant
            package var until: Instant?

            package init(from: Instant, until: Instant?) {
                self.from = from
                self.until = until
            }
        }

        package var standardRate = 7_000
        package var higherRate = 8_500
        package var higherAfterPaidDays = 365
        package var gapResetsAfterDays = 60
        /// When the app was in the App Store Small Business Program.
        package var smallBusiness: [Membership] = []
        package var mrr = MRR.default

        package init() {}
    }

    package struct Customers: Hashable, Sendable {
        /// Who owns a key that two customers claim with equal strength.
        package enum ClaimConflict: String, Sendable, CaseIterable { case keepFirst, move, share }

        package var claimConflict = ClaimConflict.keepFirst

        package init() {}
    }
}
