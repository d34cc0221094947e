package import LedgerModel
package import PaidService
import Primitives

/// The membership of a unit in a cohort, as of the instant of a question.
package struct CohortMember: Sendable {
    package let unit: PurchaseUnit
    /// The purchase that makes the unit a member; nil if only unknown ones may.
    package let anchor: SubscriptionPurchase?
    /// Nil when the cohort is unknown, and under `calendar-month`, which adds all durations.
    package let duration: CalendarPeriod?
    /// Nil when the cohort is unknown.
    package let bucket: Bucket?
    let question: RetentionQuestion

    /// Returns nil for a unit that never paid.
    package init?(_ unit: PurchaseUnit, _ question: RetentionQuestion) {
        let anchor = unit.purchases.first { $0.isAnchor(under: question.rules.definition) }
        let isPaymentUnknown = unit.purchases.contains { purchase in
            purchase.payment == .unknown && anchor.map { purchase.start < $0.start } ?? true
        }
        guard anchor != nil || isPaymentUnknown || unit.isHistoryIncomplete else { return nil }
        self.unit = unit
        self.anchor = anchor
        self.question = question
        let duration = anchor.flatMap { question.duration(of: $0) }
        guard let anchor, let duration, !isPaymentUnknown, !unit.isHistoryIncomplete else {
            (self.duration, bucket) = (nil, nil)
            return
        }
        self.duration = duration
        bucket = question.calendar.bucket(of: anchor.start)
    }

    /// The cohort that the member belongs to.
    package var cohort: CohortKey {
        let isAddedOverDurations = question.rules.definition == .calendarMonth
        return CohortKey(
            bucket: bucket, duration: isAddedOverDurations ? nil : duration,
            cut: question.cuts.map { cut in anchor.flatMap { cut.value(of: $0, in: unit) } })
    }
}

extension RetentionQuestion {
    /// Returns the length of a cell; nil if it is not known.
    fileprivate func duration(of anchor: SubscriptionPurchase) -> CalendarPeriod? {
        rules.definition == .appStoreConnect ? CalendarPeriod(1, .month) : anchor.duration
    }
}

extension SubscriptionPurchase {
    /// Whether the purchase makes its unit a member. A later refund removes nobody.
    fileprivate func isAnchor(under definition: Rules.Retention.Definition) -> Bool {
        guard isPaid, !isReplacedBeforeStart else { return false }
        return definition != .revenueCat || offer == nil
    }
}
