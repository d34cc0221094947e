import AppStoreModel
import Differences
package import LedgerAPI
import LedgerConfiguration
package import LedgerModel
import LedgerStorage
package import Primitives
package import ProjectionRuntime
import Revenue

/// Two log sizes between which numbers are restated.
package struct RestatementQuery: Sendable {
    /// The instant of the numbers, which is the same before and after.
    package var asOf: Instant
    package var from: Position
    /// Nil for the size of the log.
    package var to: Position?
    /// The time zone; nil for that of the rules at each size.
    package var zone: String?
    package var currency: String?
    /// Rules to apply last; nil for none.
    package var rules: Rules?
    package var scope: CustomerScope
    /// Called with the progress.
    package var report: (@Sendable (RebuildProgress) -> Void)?

    package init(asOf: Instant, from: Position, scope: CustomerScope = CustomerScope()) {
        (self.asOf, self.from, self.scope) = (asOf, from, scope)
    }
}

extension LedgerReader {
    /// Returns the numbers of a close that later events, other rules, catalogues or rates moved.
    /// - Parameters:
    ///   - name: the name of the close, maybe with a version.
    ///   - change: changes the question: the log size after, and rules to apply last.
    /// - Throws: the errors of `restatement`; `InvalidClose`: `close_unknown`.
    package func restatement(
        ofClose name: String, _ change: (inout RestatementQuery) -> Void = { _ in }
    ) throws -> RestatementAnswer {
        let close = try close(name)
        let terms = close.terms
        var query = RestatementQuery(
            asOf: terms.asOf, from: terms.size,
            scope: CustomerScope(environment: Environment(rawValue: terms.environment), bundleId: terms.bundleId))
        (query.zone, query.currency) = (terms.zone, terms.currency)
        change(&query)
        var found = try restatement(query, closed: try numbers(of: close))
        found.close = row(of: close, among: try closes.all(knownAt: try knownSize(nil)))
        return found
    }

    /// Returns the numbers that moved between two log sizes, by cause and event.
    /// - Throws: `KnownAtAhead`; `InvalidClose`; `ZoneUnknown`; `DefinitionUnknown`; the reason to stop the work;
    ///   `StorageError`.
    /// - Complexity: O(n · s) for n facts and s stages (changes of rules, catalogues and rates between the sizes), and
    ///   O(m · (m + s)) for a subscriber with m events between them.
    package func restatement(_ query: RestatementQuery) throws -> RestatementAnswer {
        try restatement(query, closed: nil)
    }

    /// - Parameter closed: the numbers that were closed at the size before; nil for those of this program.
    private func restatement(
        _ query: RestatementQuery, closed: [NumberCell: Int64]?
    ) throws -> RestatementAnswer {
        let to = try knownSize(query.to.map { .size($0) })
        guard query.from <= to else {
            throw InvalidClose(
                "the log sizes are in the wrong order", expected: "from 0 to \(to)", found: "\(query.from)")
        }
        let stages = try stages(query, to: to)
        let context = try analysisContext(AsOfQuery(asOf: query.asOf, knownAt: .size(to)))
        let empty = Restatement(query.from..<to, stages)
        let limit = WorkLimit.current
        let found = try analysis(context, query.scope, readsCustomers: true, report: query.report, empty) { sum, unit in
            try sum.add(unit.facts) { if let reason = limit?.reason { throw reason } }
        } merge: {
            $0.merge($1)
        }
        return RestatementAnswer(
            asOf: query.asOf, from: query.from, to: to, close: nil,
            rows: closed.map { found.sum.rows(restating: $0) } ?? found.sum.rows.map { RestatementRow($0) })
    }

    /// The rules, catalogues and rates at the size before, then at each event that changes them.
    private func stages(_ query: RestatementQuery, to: Position) throws -> [Restatement.Stage] {
        func stage(
            at size: Position, _ cause: RestatementCause, knownAt: Position, _ byHand: Rules? = nil
        ) throws -> Restatement.Stage {
            var rules = try byHand ?? rules(knownAt: knownAt)
            if let zone = query.zone { rules.retention.zone = zone }
            let reporting = try ReportingCurrency(query.currency, try appliedRates.history(knownAt: knownAt))
            let question = try Numbers.Question(ComparedTable.numbers, asOf: query.asOf, rules: rules, in: reporting)
            return Restatement.Stage(
                at: size, cause, question, catalogs: try catalogHistories(knownAt: knownAt))
        }
        let sizes = query.from..<to
        let events =
            try activeRules.positions(in: sizes).map { ($0, RestatementCause.rule) }
            + appliedCatalogs.positions(in: sizes).map { ($0, .catalogue) }
            + (query.currency == nil ? [] : appliedRates.positions(in: sizes)).map { ($0, .rate) }
        var stages = [try stage(at: query.from, .lateEvent, knownAt: query.from)]
        for (position, cause) in events.sorted(by: { $0.0 < $1.0 }) {
            stages.append(try stage(at: position + 1, cause, knownAt: position + 1))
        }
        if let rules = query.rules { stages.append(try stage(at: .max, .rule, knownAt: to, rules)) }
        return stages
    }
}

extension Restatement {
    /// The rows with the numbers that were closed. What differs from the numbers of this program belongs to the program.
    fileprivate func rows(restating closed: [NumberCell: Int64]) -> [RestatementRow] {
        let computed = numbersBefore
        let moved = Dictionary(rows.map { ($0.cell, $0) }) { first, _ in first }
        let other = Set(closed.keys).union(computed.keys).filter { closed[$0] ?? 0 != computed[$0] ?? 0 }
        return Set(moved.keys).union(other).sorted().map { cell in
            let (before, value) = (closed[cell] ?? 0, computed[cell] ?? 0)
            var row = moved[cell].map { RestatementRow($0) } ?? RestatementRow(NumberRow(cell, value))
            if before != value {
                row.before = before
                row.causes.insert(
                    RestatementRow.Cause(
                        cause: RestatementCause.program.rawValue, change: value &- before, evidence: []), at: 0)
            }
            return row
        }
    }
}

extension RestatementRow {
    fileprivate init(_ row: Restatement.Row) {
        let number = NumberRow(row.cell, row.before)
        self.init(number)
        after = row.after
        let causes = Dictionary(grouping: row.moves, by: \.move.cause)
        self.causes = RestatementCause.allCases.compactMap { cause in
            causes[cause].map { moves in
                Cause(
                    cause: cause.rawValue, change: moves.reduce(0) { $0 &+ $1.change },
                    evidence: Set(moves.compactMap(\.move.position)).sorted())
            }
        }
    }

    /// A number that does not move.
    fileprivate init(_ number: NumberRow) {
        self.init(
            cell: number.cell, table: number.table, field: number.field, currency: number.currency,
            before: number.value, after: number.value, causes: [])
    }
}
