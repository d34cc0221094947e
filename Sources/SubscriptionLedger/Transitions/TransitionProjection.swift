import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus

/// Every row of the feed, by subscription, as if the same rules had always been active.
enum TransitionProjection: Projection {
    static let name = "transitions"
    static let version: Int64 = 4
    static let readsCustomers = true

    static func entries(of unit: UnitFacts, at t: Instant, rules: Rules) -> [ProjectionEntry<TransitionDraft>] {
        let replayed = UnitTransitions(of: unit, rules: RulesHistory(initial: rules), before: t) {}
        let rows = Dictionary(grouping: replayed.rows, by: \.key)
        return replayed.announced.values.sorted { $0.key < $1.key }.compactMap { announced in
            let rows = rows[announced.key] ?? []
            guard !rows.isEmpty || announced.due != nil else { return nil }
            return ProjectionEntry(key: announced.key, rows: rows.inFeedOrder(), validUntil: announced.due)
        }
    }

    /// The members of a row of the feed, without its number and the state before, which the row before it has. Owners
    /// are handles and tokens. The position is that of the event, absent when time alone causes the row.
    static let columns: [Column<TransitionDraft>] =
        [
            .text("environment") { $0.key.environment.rawValue },
            .text("bundleId") { $0.key.bundleId },
            .text("originalTransactionId") { $0.key.originalTransactionId },
            .instant("recordedAt") { $0.recordedAt },
            .instant("effectiveAt") { $0.effectiveAt },
            .texts("change") { $0.change.map(\.rawValue) },
            .text("cause") { $0.cause },
            .integer("position") { $0.position.map { Int64(clamping: $0) } },
            .texts("owners") { $0.owners.map(\.text).sorted() },
            .object("after") { $0.after != nil },
        ] + StatusProjection.columns.map { column in column.member(of: "after") { $0.after } }
}

extension [TransitionDraft] {
    /// Returns the rows of one key in the order of the feed.
    fileprivate func inFeedOrder() -> [TransitionDraft] {
        map { row in
            var order: [UInt8] = []
            row.appendOrder(to: &order)
            return (order, row)
        }
        .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }
}
