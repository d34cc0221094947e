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

    package init(
        period: String, currency: String?, cut: [NamedText], charges: Int, gross: Int64, refunds: Int64,
        reversals: Int64, upgradeCredits: Int64, net: Int64, proceedsBeforeTax: Int64, unknownProceeds: Int,
        unitsAtHigherRate: Int, unitsAtKnownRate: Int, unknownPrice: Int
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
    }
}

extension RevenueRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "period": .string(period), "currency": JSONValue(currency), "cut": cut.json,
            "charges": .integer(Int64(charges)), "gross": .integer(gross), "refunds": .integer(refunds),
            "reversals": .integer(reversals), "upgradeCredits": .integer(upgradeCredits), "net": .integer(net),
            "proceedsBeforeTax": .integer(proceedsBeforeTax), "unknownProceeds": .integer(Int64(unknownProceeds)),
            "higherShare": .object([
                "units": .integer(Int64(unitsAtHigherRate)), "known": .integer(Int64(unitsAtKnownRate)),
            ]),
            "unknownPrice": .integer(Int64(unknownPrice)),
        ])
    }
}
