package import Primitives

/// The revenue of a calendar bucket in one currency, in milliunits.
package struct RevenueRow: Hashable, Sendable {
    package var period: String
    /// Nil for movements whose amount is not known.
    package var currency: String?
    package var cut: [NamedText]
    /// The number of movements.
    package var charges: Int
    package var gross: Int64
    package var refunds: Int64
    package var reversals: Int64
    package var upgradeCredits: Int64
    package var net: Int64
    package var proceedsBeforeTax: Int64
    package var unknownProceeds: Int
    /// The units at the higher share at the end of the bucket.
    package var unitsAtHigherRate: Int
    /// The units whose share is known then.
    package var unitsAtKnownRate: Int
    package var unknownPrice: Int
    package var unknownRate: Int
    /// The exchange rates in the sums, ordered by currency; nil for an answer in the currencies of the sales.
    package var exchanges: [ExchangeSpanRow]?

    package init(
        period: String, currency: String?, cut: [NamedText], charges: Int, gross: Int64, refunds: Int64,
        reversals: Int64, upgradeCredits: Int64, net: Int64, proceedsBeforeTax: Int64, unknownProceeds: Int,
        unitsAtHigherRate: Int, unitsAtKnownRate: Int, unknownPrice: Int,
        unknownRate: Int = 0, exchanges: [ExchangeSpanRow]? = nil
    ) {
        self.period = period
        self.currency = currency
        self.cut = cut
        self.charges = charges
        self.gross = gross
        self.refunds = refunds
        self.reversals = reversals
        self.upgradeCredits = upgradeCredits
        self.net = net
        self.proceedsBeforeTax = proceedsBeforeTax
        self.unknownProceeds = unknownProceeds
        self.unitsAtHigherRate = unitsAtHigherRate
        self.unitsAtKnownRate = unitsAtKnownRate
        self.unknownPrice = unknownPrice
        self.unknownRate = unknownRate
        self.exchanges = exchanges
    }
}

extension RevenueRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            [
                .init("period", .string(period)), .init("currency", JSONValue(currency)), .init("cut", cut.json),
                .init("charges", JSONValue(charges)), .init("gross", .integer(gross)),
                .init("refunds", .integer(refunds)), .init("reversals", .integer(reversals)),
                .init("upgradeCredits", .integer(upgradeCredits)), .init("net", .integer(net)),
                .init("proceedsBeforeTax", .integer(proceedsBeforeTax)),
                .init("unknownProceeds", JSONValue(unknownProceeds)),
                .init(
                    "higherShare",
                    .object(["units": JSONValue(unitsAtHigherRate), "known": JSONValue(unitsAtKnownRate)])),
                .init("unknownPrice", JSONValue(unknownPrice)),
            ]
                + (exchanges.map {
                    [.init("unknownRate", JSONValue(unknownRate)), .init("exchanges", $0.json)]
                } ?? []))
    }
}
