package import Primitives

/// The knowledge and the rules of an analysis of all subscriptions.
package struct AnalysisContext: Sendable {
    package let size: Position
    package let rules: Rules
    package let catalogs: [Symbol: CatalogHistory]
    package let rates: RatesHistory
    /// The instant by which Apple signed what counts; nil for everything known.
    package let signedBy: Instant?

    package init(
        size: Position, rules: Rules, catalogs: [Symbol: CatalogHistory], rates: RatesHistory, signedBy: Instant? = nil
    ) {
        (self.size, self.rules, self.catalogs, self.rates) = (size, rules, catalogs, rates)
        self.signedBy = signedBy
    }
}
