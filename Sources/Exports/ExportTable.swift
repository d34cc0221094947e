import SubscriptionLedger
package import TableFiles

/// A table of exports. Each has a file of its own, with its columns and the source of its rows.
package struct ExportTable: Sendable {
    /// The columns without those that every file adds at its end.
    package let schema: TableSchema
    let source: Source

    enum Source: Sendable {
        /// One row for each event, also of other environments than those exported.
        case events(@Sendable (LoggedEvent, inout TableRow) -> Void)
        /// Rows of the ledger's own events, in any order.
        case ownEvents(@Sendable (ExportedOwnEvents, OwnRows) -> Void)
        /// Rows about lineages that Apple accounts join, as of an instant.
        case units(@Sendable (ExportUnit, StateRows) throws -> Void)
        /// Sums over all of them.
        case sums(@Sendable (ExportQuestion) throws -> any TableSum)
    }

    package var name: String { schema.name }

    /// Whether rows are as of an instant, and may change or disappear.
    var isState: Bool {
        switch source {
        case .events, .ownEvents: false
        case .units, .sums: true
        }
    }

    /// All tables, by name.
    package static let all: [ExportTable] = [
        .catalog, .charges, .closes, .cohortMembers, .cohortNet, .cohorts, .events, .history, .offers, .periods, .rates,
        .revenue, .rules, .subscriptions,
    ]

    /// - Throws: `TableUnknown`.
    package init(named name: String) throws(TableUnknown) {
        guard let table = Self.all.first(where: { $0.name == name }) else { throw TableUnknown(name) }
        self = table
    }

    init(_ schema: TableSchema, _ source: Source) {
        (self.schema, self.source) = (schema, source)
    }
}
