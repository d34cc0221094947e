package import Primitives

/// A movement of money between a subscriber and Apple.
package struct ChargeRow: Hashable, Sendable {
    package var id: SubscriptionID
    package var kind: String
    package var productId: String?
    package var transactionId: String?
    package var at: Instant
    /// The start of the purchase that the movement is about.
    package var saleAt: Instant
    /// Milliunits, negative towards the subscriber; nil if not known.
    package var amount: Int64?
    package var currency: String?
    /// The developer's share of the net amount, in hundredths of a percent; nil if unknown.
    package var rate: Int?
    package var proceedsBeforeTax: Int64?
    package var paidDays: Int64?
    /// Whether a rule, not Apple, states the amount.
    package var inferred: Bool
    /// The position of the event that first states the movement.
    package var position: UInt64
    /// Nil for an amount in the currency of the sale.
    package var exchange: ExchangeRow?

    package init(
        id: SubscriptionID, kind: String, productId: String?, transactionId: String?, at: Instant, saleAt: Instant,
        amount: Int64?, currency: String?, rate: Int?, proceedsBeforeTax: Int64?, paidDays: Int64?, inferred: Bool,
        position: UInt64, exchange: ExchangeRow? = nil
    ) {
        self.id = id
        self.kind = kind
        self.productId = productId
        self.transactionId = transactionId
        self.at = at
        self.saleAt = saleAt
        self.amount = amount
        self.currency = currency
        self.rate = rate
        self.proceedsBeforeTax = proceedsBeforeTax
        self.paidDays = paidDays
        self.inferred = inferred
        self.position = position
        self.exchange = exchange
    }
}

extension ChargeRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            id.members + [
                .init("kind", .string(kind)), .init("productId", JSONValue(productId)),
                .init("transactionId", JSONValue(transactionId)), .init("at", JSONValue(at)),
                .init("saleAt", JSONValue(saleAt)), .init("amount", JSONValue(amount)),
                .init("currency", JSONValue(currency)), .init("rate", JSONValue(rate)),
                .init("proceedsBeforeTax", JSONValue(proceedsBeforeTax)), .init("paidDays", JSONValue(paidDays)),
                .init("inferred", .bool(inferred)), .init("position", JSONValue(position: position)),
                .init("exchange", exchange?.json ?? .null),
            ])
    }
}
