package import LedgerModel
package import Primitives

/// The rules and catalogues of answers.
package struct Assumptions: Hashable, Sendable {
    package var rules: Rules
    package var catalogs: [Symbol: CatalogHistory]

    package init(rules: Rules, catalogs: [Symbol: CatalogHistory]) {
        (self.rules, self.catalogs) = (rules, catalogs)
    }
}

/// A field in which two sets of assumptions differ.
package struct AssumedChange: Sendable {
    /// The path of the field: a key of the rules, or `catalog.` and the place in the catalogue.
    package let name: String
    package let before: String
    package let after: String
    /// The tables that read the field.
    package let tables: Set<ComparedTable>
    let apply: @Sendable (inout Assumptions) -> Void
}

extension [AssumedChange] {
    /// The changed keys of rules, in the order of the file.
    package init(from old: Rules, to new: Rules) {
        self = Rules.keys.compactMap { key in
            let (before, after) = (key.value(in: old), key.value(in: new))
            guard before != after else { return nil }
            return AssumedChange(
                name: key.path, before: "\(before)", after: "\(after)",
                tables: ComparedTable.tables(reading: key.section)
            ) { assumptions in
                _ = key.set(after, in: &assumptions.rules)
            }
        }
    }

    /// The changed fields of the catalogue of an app, in the order of the file.
    package init(from old: Catalog, to new: Catalog) {
        self = CatalogField.changes(from: old, to: new).map { field in
            AssumedChange(
                name: "catalog.\(field.name)", before: field.text(in: old), after: field.text(in: new),
                tables: ComparedTable.readingCatalogs
            ) { assumptions in
                var catalog = assumptions.catalogs[new.bundleId]?.newest?.catalog ?? Catalog(bundleId: new.bundleId)
                field.apply(&catalog, new)
                assumptions.apply(catalog)
            }
        }
    }
}

extension Assumptions {
    /// Applies the old catalogue of a comparison, as if it were applied after all others.
    package mutating func applyOld(_ catalog: Catalog) { apply(catalog, at: .max - 1) }

    /// Applies a catalogue after the old one. It replaces the one applied so before.
    mutating func apply(_ catalog: Catalog) { apply(catalog, at: .max) }

    private mutating func apply(_ catalog: Catalog, at position: Position) {
        catalogs[catalog.bundleId] = (catalogs[catalog.bundleId] ?? CatalogHistory()).adding(catalog, at: position)
    }
}

extension ComparedTable {
    static let readingCatalogs: Set<ComparedTable> = numbers.union([.entitlements, .offers])

    /// - Parameter section: a section of the rules.
    static func tables(reading section: String) -> Set<ComparedTable> {
        switch section {
        // Whether a subscription is active also decides eligibility.
        case "access": [.access, .entitlements, .offers]
        case "intro": [.offers]
        case "retention": [.cohorts, .churn, .revenue, .recurringRevenue]
        case "churn": [.churn, .segments, .recurringRevenue]
        case "revenue": [.revenue, .recurringRevenue]
        case "customers": [.owners, .entitlements, .offers]
        default: Set(allCases)
        }
    }
}
