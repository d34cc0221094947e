import LedgerModel
import PaidService
import Primitives

/// Purchases of a unit that follow one another without a lapse.
struct Stay {
    /// Oldest first.
    private(set) var purchases: [SubscriptionPurchase]
    /// The end of the last purchase to end.
    private(set) var end: Instant

    /// The gap after which a renewal is late.
    static let longestGap = Instant.millisecondsPerHour

    private init(_ purchase: SubscriptionPurchase, until end: Instant) {
        (purchases, self.end) = ([purchase], end)
    }

    /// The stays of a unit, oldest first. A recovered renewal continues a stay.
    static func all(in unit: PurchaseUnit) -> [Stay] {
        var stays: [Stay] = []
        for purchase in unit.purchases where !purchase.isReplacedBeforeStart {
            let continues = stays.last?.isContinued(by: purchase) ?? false
            if continues {
                stays[stays.count - 1].append(purchase)
            } else if let held = purchase.held {
                stays.append(Stay(purchase, until: held.upperBound))
            }
        }
        return stays
    }

    /// Appends a purchase. One that was refunded before it began prolongs nothing.
    private mutating func append(_ purchase: SubscriptionPurchase) {
        purchases.append(purchase)
        if let held = purchase.held { end = max(end, held.upperBound) }
    }

    private func isContinued(by purchase: SubscriptionPurchase) -> Bool {
        if purchase.start <= end.advanced(byMilliseconds: Self.longestGap) { return true }
        guard let next = last.failure?.next else { return false }
        return next.isRecovery && next.start == purchase.start
    }

    /// The purchase that decides why the subscriber left: the newest if it was refunded before it began, else the last to
    /// end.
    var last: SubscriptionPurchase {
        let newest = purchases[purchases.count - 1]
        guard let held = newest.held, held.upperBound < end else { return newest }
        return purchases.last { $0.held?.upperBound == end } ?? newest
    }

    /// The end of the last paid service; nil if nothing was paid. One that was refunded before it began served nothing.
    var paidUntil: Instant? {
        let paid = purchases.filter(\.isPaid)
        return paid.compactMap { $0.held?.upperBound }.max() ?? paid.last?.start
    }
}
