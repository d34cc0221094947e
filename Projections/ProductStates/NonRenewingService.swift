package import LedgerModel
package import Primitives

/// The service that a purchase of a non-renewing subscription pays for. Apple states no end of it, so the duration in
/// the catalogue decides.
package struct NonRenewingService: Hashable, Sendable {
    package let key: SubscriptionKey
    package let purchase: OneTimePurchase
    private let duration: CalendarPeriod
    /// Empty for a purchase that was refunded before its service began.
    package private(set) var range: Range<Instant>
}

extension NonRenewingService {
    /// Returns the services of one customer's purchases of one product at `t`, in the order of purchase.
    ///
    /// A service begins at the date of its purchase or at the end of the service before, whichever is later, and lasts
    /// for quantity × duration. A refund in force at `t` ends its own service at its date. The services that had not
    /// begun by that date then begin earlier, but not before it.
    /// - Parameters:
    ///   - purchases: the purchases in any order. Those after `t` are ignored.
    ///   - duration: the duration of a purchase made at an instant; nil if it is unknown. The purchase then has no
    ///     service.
    package static func all(
        of purchases: [(key: SubscriptionKey, purchase: OneTimePurchase)], at t: Instant,
        duration: (Instant) -> CalendarPeriod?
    ) -> [NonRenewingService] {
        let made = purchases.filter { $0.purchase.purchasedAt <= t }.sorted {
            ($0.purchase.purchasedAt, $0.purchase.transactionId) < ($1.purchase.purchasedAt, $1.purchase.transactionId)
        }
        var services = made.compactMap { key, purchase in
            duration(purchase.purchasedAt).map { NonRenewingService(key, purchase, $0) }
        }
        services.stack(notBegunBy: .earliest)
        let refunds = services.enumerated().compactMap { index, service in
            service.purchase.revokedAt(at: t).map { (date: $0, index: index) }
        }
        for refund in refunds.sorted(by: { ($0.date, $0.index) < ($1.date, $1.index) }) {
            services[refund.index].end(at: refund.date)
            services.stack(notBegunBy: refund.date)
        }
        return services
    }

    private init(_ key: SubscriptionKey, _ purchase: OneTimePurchase, _ duration: CalendarPeriod) {
        (self.key, self.purchase, self.duration) = (key, purchase, duration)
        range = .latest..<Instant.latest
    }

    private mutating func end(at date: Instant) {
        guard date < range.upperBound else { return }
        range = min(range.lowerBound, date)..<date
    }

    fileprivate mutating func begin(at start: Instant) {
        let quantity = Int(clamping: max(1, purchase.quantity))
        range = start..<max(start, start.advanced(by: duration, times: quantity))
    }
}

extension [NonRenewingService] {
    /// Places the services that have not begun by `date` one after the other, but not before it.
    fileprivate mutating func stack(notBegunBy date: Instant) {
        var end = date
        for index in indices {
            if self[index].range.lowerBound > date {
                self[index].begin(at: Swift.max(self[index].purchase.purchasedAt, end))
            }
            end = Swift.max(end, self[index].range.upperBound)
        }
    }
}
