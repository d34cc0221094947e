import ArgumentParser
import LedgerAPI
import LedgerConfiguration
import LedgerStorage
import Primitives
import SubscriptionLedger

struct RatesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rates",
        abstract: "Apply and show exchange rates.",
        discussion: """
            Rates convert amounts to one currency on request. Apple does not sign exchange rates: you supply them, \
            and the ledger stores each file as an event.
            """,
        subcommands: [Apply.self, Show.self])

    struct Apply: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Apply exchange rates to all later answers.",
            discussion: """
                Appends an event with the file. Its rates are added to those before; a rate of the same currencies and \
                day replaces the earlier one. Answers at a log size before the event use the earlier rates. Rates that \
                change nothing are not applied again. While `serve` runs, the service appends the event on behalf of \
                the command.

                FILE
                  version: 1
                  currency: USD
                  rates: [{day: 2026-01-02, of: EUR, rate: "1.0352"}]   # 1 EUR costs 1.0352 USD on that UTC day

                EXAMPLES
                  subledger rates apply rates.yaml
                  subledger revenue --currency USD
                """)

        @Argument(help: "Rates file.")
        var file: String

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let rates = try RatesFile(path: file)
            try ledger.folder.requireExists()
            let access = try LedgerAccess(try ledger.configuration())
            defer { access.close() }
            RatesReport.print(try await access.apply(rates, path: file), in: output.effectiveFormat)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the exchange rates and their gaps.",
            discussion: """
                EXAMPLES
                  subledger rates show
                  subledger rates show --known-at 12000 --format json
                """)

        @Option(
            name: .customLong("known-at"),
            help: "Show the rates known at this log size (below 10^11) or instant (default: all events).")
        var knownAt: AsOfQuery.KnownAt?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            RatesReport.print(try ledger.reading().rates(knownAt).json, in: output.effectiveFormat)
        }
    }
}

/// Prints exchange rates.
private enum RatesReport {
    /// - Parameter answer: the wire form of a `RatesAnswer`.
    static func print(_ answer: JSONValue, in format: OutputFormat) {
        guard format == .table else {
            Terminal.standardOutput.write(answer.serialized() + "\n")
            return
        }
        if answer[member: "applied"] == .bool(false) {
            Terminal.standardOutput.write("These rates are already in effect.\n")
        }
        let rates = answer.elements(of: "rates")
        Terminal.standardOutput.write(
            rates.isEmpty
                ? "no rates\n"
                : AnswerTable.table(rates, ["currency", "of", "days", "firstDay", "lastDay", "rate", "holes"]))
    }
}
