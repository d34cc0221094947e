package import TableFiles

/// A table whose rows are as of an instant: a pure function of facts, rules, catalogues, rates and that instant.
package struct StateTable: Sendable {
    /// The columns without those that every file adds at its end.
    package let schema: TableSchema
    let source: Source

    enum Source: Sendable {
        /// Rows about lineages that Apple accounts join.
        case units(@Sendable (ExportUnit, StateRows) throws -> Void)
        /// Sums over all of them.
        case sums(@Sendable (ExportQuestion) -> any TableSum)
    }

    package var name: String { schema.name }

    /// All tables, by name.
    package static let all: [StateTable] = [
        .charges, .churn, .cohortMembers, .cohortNet, .cohorts, .departures, .history, .introOffers, .offers,
        .ownership,
        .periods, .recurringRevenue, .retries, .revenue, .subscriptions,
    ]

    init(_ schema: TableSchema, _ source: Source) {
        (self.schema, self.source) = (schema, source)
    }
}
