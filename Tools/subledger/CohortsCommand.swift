import ArgumentParser
import LedgerAPI
import LedgerModel
import PaidService
import Primitives
import SubscriptionLedger

struct CohortsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cohorts",
        abstract: "Show subscriber retention by the month, week or day of the first payment.",
        discussion: """
            A cell counts members old enough to be in it (eligible), those who pay (retained) and those not yet \
            decided (pending). Divide retained by eligible to get a rate. A cell is incomplete while its counts may \
            still change.

            DEFINITIONS
              \(Rules.Retention.Definition.allCases.map(\.rawValue).joined(separator: "\n  "))

            EXAMPLES
              subledger cohorts
              subledger cohorts --by week --cut product,storefront --definition renewals --format csv
              subledger cohorts --cell 2026-01,3 --cut product
            """)

    @Option(help: "Definition of retention (default: retention.definition of the rules).")
    var definition: String?

    @Option(help: "List the members of one cell, of any duration and cut: COHORT,K.")
    var cell: String?

    @OptionGroup var division: DivisionOptions
    @OptionGroup var analysis: AnalysisOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: RowOutputOptions

    func run() throws {
        let cell = try cell.map { text in
            guard let name = CohortCellName(text) else {
                throw CommandFailure(usage: "--cell takes \(CohortCellName.form)")
            }
            return name
        }
        let opened = try ledger.reading()
        let answer: any LedgerAnswer = try output.withProgress { bar in
            var query = try analysis.query(to: opened, by: division.by, bar)
            query.cuts = try division.cuts()
            query.definition = try definition.map { try Rules.Retention.Definition(named: $0) }
            guard let cell else { return try opened.cohorts(query) }
            return try opened.members(ofCell: cell.k, ofCohort: cell.cohort, query)
        }
        if cell != nil {
            AnswerTable.print(
                answer.json, rows: "subscriptions",
                columns: [
                    "originalTransactionId", "anchor", "duration", "cut", "retained", "because", "net", "evidence",
                ],
                format: output.effectiveFormat)
        } else if output.effectiveFormat == .table, let answer = answer as? CohortsAnswer {
            Terminal.standardOutput.write(CohortTable.text(of: answer))
        } else {
            AnswerTable.print(answer.json, rows: "rows", nested: "cells", columns: [], format: output.effectiveFormat)
        }
    }
}

/// The matrix of cohorts for people: a line per cohort, a column per cell.
private enum CohortTable {
    static func text(of answer: CohortsAnswer) -> String {
        let count = answer.rows.map(\.cells.count).max() ?? 0
        let heads = ["cohort", "duration"] + answer.cuts + ["size"] + (0..<count).map { "\($0)" }
        var layout = TextColumns()
        let lines = answer.rows.map { row in
            [row.cohort, row.duration ?? "-"] + row.cut.map { $0.value ?? "-" } + ["\(row.size)"]
                + row.cells.map(cell) + Array(repeating: "", count: count - row.cells.count)
        }
        let inferred = answer.ownershipInferred == 0 ? "" : ", \(answer.ownershipInferred) with inferred ownership"
        return """
            as of \(answer.asOf), known at \(answer.knownAt), definition \(answer.definition), zone \(answer.zone)\(inferred)
            \(layout.text(of: [heads] + lines))\
            retained/eligible; +n: pending; *: may still change

            """
    }

    private static func cell(_ cell: CohortAnswerCell) -> String {
        let pending = cell.pending == 0 ? "" : "+\(cell.pending)"
        return "\(cell.retained)\(pending)/\(cell.eligible)\(cell.incomplete ? "*" : "")"
    }
}
