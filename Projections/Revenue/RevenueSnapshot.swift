package import LedgerModel
package import PaidService
package import Primitives

/// The values of the properties that divide revenue; nil where a purchase has none or it is not known.
package typealias RevenueCell = [String?]

/// The recurring revenue of lineages that Apple accounts join, at an instant.
package struct RevenueSnapshot: Sendable {
    /// The revenue of each unit with a purchase that serves or is in grace.
    private let amounts: [PurchaseUnit.ID: [RevenueCell: Amounts]]
    private let lineages: [Lineage]
    private let asOf: Instant
    private let catalogs: [Symbol: CatalogHistory]

    /// - Parameters:
    ///   - reporting: the currency of the amounts; nil for that of each sale.
    ///   - cuts: the properties of purchases that divide the revenue.
    package init(
        _ lineages: [Lineage], at t: Instant, catalogs: [Symbol: CatalogHistory],
        _ definition: Rules.Revenue.RecurringRevenue, in reporting: ReportingCurrency? = nil,
        by cuts: [PurchaseCut] = []
    ) {
        (self.lineages, asOf, self.catalogs) = (lineages, t, catalogs)
        let units = lineages.purchaseUnitsInService(at: t, catalogs: catalogs)
        amounts = Dictionary(
            units.map { ($0.id, $0.monthlyRevenue(definition, in: reporting, by: cuts)) },
            uniquingKeysWith: { first, _ in first })
    }

    var ids: some Sequence<PurchaseUnit.ID> { amounts.keys }

    subscript(_ id: PurchaseUnit.ID) -> [RevenueCell: Amounts] { amounts[id] ?? [:] }

    /// Returns a unit with all its purchases and states; nil if nothing of it had begun.
    func unit(_ id: PurchaseUnit.ID) -> PurchaseUnit? {
        lineages.purchaseUnits(by: .group, at: asOf, catalogs: catalogs).first { $0.id == id }
    }
}
