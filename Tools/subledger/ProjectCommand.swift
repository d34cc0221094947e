import ArgumentParser
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger

struct ProjectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "project",
        abstract: "Show, compare and activate rules; restate numbers; build, show and drop stored projections.",
        subcommands: [Status.self, Diff.self, Restate.self, Activate.self, Rebuild.self, Show.self, Drop.self])

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the active rules and the stored projections.",
            discussion: """
                EXAMPLES
                  subledger project status
                  subledger project status --known-at 12000 --format json
                """)

        @Option(
            name: .customLong("known-at"),
            help: "Show the rules known at this log size (below 10^11) or instant (default: all events).")
        var knownAt: AsOfQuery.KnownAt?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let opened = try ledger.reading()
            var answer = try opened.rulesInForce(knownAt).answer()
            let stored = try opened.projections()
            answer.projections = stored.rows
            RulesReport.print(answer.json, in: output.effectiveFormat)
            for diagnosis in stored.unreadable {
                Terminal.standardError.write("warning[\(diagnosis.code)]: \(diagnosis.sentences)\n")
            }
        }
    }

    struct Activate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Activate rules for all answers.",
            discussion: """
                Appends an event. Answers at a log size that includes the event use the rules; answers known at an \
                earlier log size use the earlier rules. Active rules are not activated again. While `serve` runs, the \
                service appends the event on behalf of the command.

                SETTINGS OF THE RULES FILE
                \(RulesReport.keys)

                EXAMPLES
                  subledger project activate --rules rules.yaml --by alice
                  subledger project activate --rules rules.yaml --by deploy --yes --format json
                """)

        @Option(name: .customLong("rules"), help: "Rules file.")
        var rulesFile: String

        @Option(help: "Name of the person or of the process that activates the rules, stored in the event.")
        var by: String

        @Flag(help: "Do not ask for confirmation.")
        var yes = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let file = try RulesFile(path: rulesFile)
            try ledger.folder.requireExists()
            let access = try LedgerAccess(try ledger.configuration())
            defer { access.close() }
            let active = try access.reader().rulesInForce()
            if active.rules != file.rules, !yes { try confirm(file.rules, after: active.rules, access) }
            let answer = try await access.activate(file, path: rulesFile, by: by)
            RulesReport.print(answer, in: output.effectiveFormat)
        }

        /// Shows the changes and what they move today, and asks for permission.
        private func confirm(_ new: Rules, after active: Rules, _ access: LedgerAccess) throws {
            Terminal.standardError.write(RulesReport.changes(from: active, to: new))
            guard Terminal.isInputInteractive else {
                throw CommandFailure(
                    code: "confirmation_missing", message: "the rules were not activated", expected: "--yes",
                    found: "no terminal to ask", exitCode: CommandFailure.usage)
            }
            let reader = try access.reader()
            let question = AsOfQuery(asOf: try PresentInstant.of(reader))
            let answer = try RowOutputOptions.withProgress(quiet: output.quiet) { bar in
                var query = DifferenceQuery(question, newRules: new)
                if let bar { query.report = { bar.show($0) } }
                return try reader.difference(query)
            }
            Terminal.standardError.write(DifferenceReport.summary(of: answer))
            Terminal.standardError.write("Activate? [y/N] ")
            guard ["y", "yes"].contains(readLine()?.lowercased()) else {
                throw CommandFailure(
                    code: "confirmation_missing", message: "the rules were not activated", expected: "y",
                    found: "another answer", exitCode: CommandFailure.refused)
            }
        }
    }
}
