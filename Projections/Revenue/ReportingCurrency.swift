package import LedgerModel
import PaidService
package import Primitives

/// One currency for all amounts, by the exchange rates of the days of the sales.
package struct ReportingCurrency: Sendable {
    package let currency: Symbol
    private let rates: RatesHistory

    package init(_ currency: Symbol, _ rates: RatesHistory) {
        (self.currency, self.rates) = (currency, rates)
    }

    /// Returns the conversion of the amounts of a purchase; nil when they are in the currency already.
    func exchange(of purchase: SubscriptionPurchase) -> Exchange? {
        // Nothing is nothing in every currency.
        guard let price = purchase.price, price.price != 0, price.currency != currency else { return nil }
        let rate = price.currency.flatMap { rates.rate(of: .init(of: $0, currency: currency), at: purchase.start) }
        return Exchange(of: price.currency, rate: rate)
    }
}

/// The conversion of an amount to the reporting currency.
package struct Exchange: Hashable, Sendable {
    /// The currency of the sale; nil where the price has none.
    package let of: Symbol?
    /// Nil when there is none within the days before the sale.
    package let rate: DatedRate?
}

/// The price of a purchase in the currency of an answer.
struct ConvertedPrice {
    /// Nil if the price or the rate is not known.
    let price: Int64?
    let currency: Symbol?
    let exchange: Exchange?
    private let original: Int64?

    init(_ purchase: SubscriptionPurchase, _ reporting: ReportingCurrency?) {
        exchange = reporting?.exchange(of: purchase)
        original = purchase.price?.price
        currency = purchase.price == nil ? nil : reporting?.currency ?? purchase.price?.currency
        price = Self.part(.one, of: original, exchange)
    }

    /// Returns a part of the price, rounded once; nil if the price or the rate is not known.
    func part(_ part: Fraction) -> Int64? { Self.part(part, of: original, exchange) }

    private static func part(_ part: Fraction, of price: Int64?, _ exchange: Exchange?) -> Int64? {
        guard let exchange else { return price?.scaled(by: part) }
        return exchange.rate.flatMap { price?.scaled(by: part, $0.rate.factor) }
    }
}
