import LedgerModel
package import Primitives

/// A charge that a customer would see after subscribing.
package struct ScheduledCharge: Hashable, Sendable {
    package enum Payment: String, Sendable { case freeTrial, payAsYouGo, payUpFront, standard }

    package let from: Instant
    /// The end of the time that the charge pays for; nil for the standard price, which repeats each duration.
    package let until: Instant?
    package let payment: Payment
    /// Milliunits; nil if the price is not known.
    package let price: Int64?
    /// Nil if the currency is not known: the catalogue has prices of offers without one.
    package let currency: Symbol?
}

extension ScheduledCharge {
    /// Returns the charges of an introductory offer, then the standard price.
    ///
    /// A free trial and an offer paid up front take one charge for all their periods. An offer paid as you go takes one
    /// for each duration of the product.
    /// - Parameters:
    ///   - offer: the offer; nil for none.
    ///   - standard: the standard price that the customer paid last; nil if it is not known.
    static func all(
        of offer: CatalogOffer?, duration: CalendarPeriod, standard: TransactionFact.Price?, from start: Instant
    ) -> [ScheduledCharge] {
        var charges: [ScheduledCharge] = []
        var end = start
        func add(_ payment: Payment, until next: Instant, _ price: Int64?) {
            charges.append(
                ScheduledCharge(from: end, until: next, payment: payment, price: price, currency: nil))
            end = next
        }
        if let offer {
            switch offer.payment {
            case .freeTrial: add(.freeTrial, until: start.advanced(by: offer.period, times: offer.periods), 0)
            case .payUpFront:
                add(
                    .payUpFront, until: start.advanced(by: offer.period, times: offer.periods), offer.priceMilliunits)
            case .payAsYouGo:
                for number in 1...max(1, offer.periods) {
                    add(.payAsYouGo, until: start.advanced(by: duration, times: number), offer.priceMilliunits)
                }
            }
        }
        charges.append(
            ScheduledCharge(
                from: end, until: nil, payment: .standard, price: standard?.price, currency: standard?.currency))
        return charges
    }
}
