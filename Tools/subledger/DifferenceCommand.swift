import AppStoreModel
import ArgumentParser
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import Primitives
import SubscriptionLedger

extension ProjectCommand {
    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the effect of other rules or another catalogue.",
            discussion: """
                Compares all answers under the old and the new rules: who gains or loses access, whose eligibility \
                changes, which numbers move and by how much. Changed settings are applied one after another, in the \
                order of the files; each row names the setting that caused the change. `together` marks a row in \
                which the setting alone has a different effect. A table shows the summary; JSON and CSV have every row. Amounts are \
                milliunits. Customers without a subscription or a one-time purchase are not compared.

                EXAMPLES
                  subledger project diff --rules candidate.yaml
                  subledger project diff --rules old.yaml --rules new.yaml --format csv
                  subledger project diff --catalog catalog.yaml --as-of 2026-07-01
                """)

        @Option(
            name: .customLong("rules"), parsing: .singleValue,
            help: "Rules file: the new one, or the old one and then the new one (old by default: the active rules).")
        var rules: [String] = []

        @Option(
            name: .customLong("catalog"), parsing: .singleValue,
            help:
                "Catalogue file, compared as if it were applied now: the new one, or the old one and then the new one.")
        var catalogs: [String] = []

        @Option(help: "Environment to include.")
        var environment: Environment = .production

        @Option(name: .customLong("bundle-id"), help: "Bundle id of the app to include (default: all).")
        var bundleId: String?

        @OptionGroup var clocks: ClockOptions
        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: RowOutputOptions

        func validate() throws {
            guard rules.count <= 2, catalogs.count <= 2 else {
                throw ValidationError("Give --rules and --catalog at most twice each: the old file, then the new one")
            }
            guard !rules.isEmpty || !catalogs.isEmpty else { throw ValidationError("Give --rules or --catalog") }
        }

        func run() throws {
            let files = try (rules: rules.map { try RulesFile(path: $0).rules }, catalogs: read())
            let opened = try ledger.reading()
            let question = try clocks.question(to: opened)
            let answer = try output.withProgress { bar in
                var query = DifferenceQuery(
                    question, scope: CustomerScope(environment: environment, bundleId: bundleId),
                    newRules: files.rules.last)
                if files.rules.count == 2 { query.question.rules = files.rules[0] }
                query.newCatalog = files.catalogs.last
                if files.catalogs.count == 2 { query.oldCatalog = files.catalogs[0] }
                if let bar { query.report = { bar.show($0) } }
                return try opened.difference(query)
            }
            DifferenceReport.print(answer, in: output.effectiveFormat)
        }

        private func read() throws -> [Catalog] {
            let read = try catalogs.map { try CatalogFile(path: $0).catalog }
            guard let first = read.first, let last = read.last, first.bundleId != last.bundleId else { return read }
            throw CommandFailure(
                code: "usage", message: "the catalogues belong to different apps", expected: first.bundleId.text,
                found: last.bundleId.text, exitCode: CommandFailure.usage)
        }
    }
}

/// Prints what other rules move.
enum DifferenceReport {
    static func print(_ answer: DifferenceAnswer, in format: RowFormat) {
        switch format {
        case .json: Terminal.standardOutput.write(answer.json.serialized() + "\n")
        case .csv: Terminal.standardOutput.write(CSVTable(answer.rows.map(\.json)).text)
        case .table:
            let heading = "as of \(answer.asOf.iso8601), known at \(answer.knownAt)\n"
            Terminal.standardOutput.write(heading + summary(of: answer))
        }
    }

    /// Returns the changed settings, and the effect of each.
    static func summary(of answer: DifferenceAnswer) -> String {
        guard !answer.changes.isEmpty else { return "no differences in the rules or catalogues\n" }
        let changes = AnswerTable.table(answer.changes.map(\.json), ["rule", "before", "after"])
        let moves = answer.summary.map(\.json)
        guard !moves.isEmpty else { return changes + "\nno values change\n" }
        return changes + "\n"
            + AnswerTable.table(moves, ["table", "field", "rule", "currency", "moved", "gained", "lost", "change"])
    }
}
