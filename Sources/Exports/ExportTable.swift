import LedgerModel
package import StateTables
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
        /// One row for each row of the feed.
        case transitions(@Sendable (ExportedTransition, inout TableRow) -> Void)
        /// A row for each observation of a subscription.
        case observations(@Sendable (SubscriptionKey, Timeline, ObservationRows) throws -> Void)
        /// A row for each customer, as of an instant.
        case customers(@Sendable (ExportedCustomer, inout TableRow) -> Void)
        /// Rows as of an instant, which may change or disappear.
        case state(StateTable)
    }

    package var name: String { schema.name }

    /// The table, if its rows are about subscriptions as of an instant.
    package var state: StateTable? {
        if case .state(let table) = source { table } else { nil }
    }

    /// The tables that are a fold of facts, by name.
    package static let states = StateTable.all.map { ExportTable($0) }

    /// All tables, by name.
    package static let all: [ExportTable] =
        ([
            .catalog, .closes, .customers, .events, .rates, .renewalInfos, .rules, .transactions, .transitions,
        ] + states)
        .sorted { $0.name < $1.name }

    /// - Throws: `TableUnknown`.
    package init(named name: String) throws(TableUnknown) {
        guard let table = Self.all.first(where: { $0.name == name }) else { throw TableUnknown(name) }
        self = table
    }

    init(_ schema: TableSchema, _ source: Source) {
        (self.schema, self.source) = (schema, source)
    }

    private init(_ table: StateTable) {
        self.init(table.schema, .state(table))
    }
}
