package import LedgerModel
package import PaidService
package import Primitives

/// A question about retention: its definition, and how members are grouped.
package struct RetentionQuestion: Sendable {
    package let rules: Rules.Retention
    /// The calendar that names cohorts. Its zone changes no member's cell, except under `calendar-month`.
    package let calendar: BucketCalendar
    /// The properties of the purchase that makes a unit a member.
    package let cuts: [PurchaseCut]
    package let asOf: Instant

    /// - Parameter zone: the table of `rules.zoneInForce`.
    package init(
        _ rules: Rules.Retention, zone: TimeZoneTable, by interval: BucketCalendar.Interval = .month,
        cuts: [PurchaseCut] = [], asOf: Instant
    ) {
        self.rules = rules
        calendar = BucketCalendar(interval, in: zone, weekStartsOn: rules.weekStartsOn)
        (self.cuts, self.asOf) = (cuts, asOf)
    }

    /// The purchases that are one member.
    package var scope: PurchaseUnit.Scope {
        switch rules.definition {
        case .default, .calendarMonth, .renewals: .group
        case .revenueCat, .appStoreConnect: .product
        }
    }

    var bridge: Rules.Retention.Bridge {
        switch rules.definition {
        case .default, .calendarMonth, .renewals: rules.bridge
        case .revenueCat, .appStoreConnect: .none
        }
    }
}
