import AppStoreModel
import ArgumentParser
import LedgerAPI
import LedgerConfiguration
import Primitives
import SubscriptionLedger

extension ProjectCommand {
    struct Restate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the numbers that moved since a close, or between two log sizes, by cause.",
            discussion: """
                Compares the numbers for one instant as known at two log sizes. Events are applied in log order, and \
                each change is attributed to the cause of its event: lateEvent, refund, reversal, merge, transfer, \
                link, rule, catalogue or rate; `program` means another version of the program or of a time zone. \
                Rules given by --rules are applied last. The changes of all causes add up to the difference. \
                `evidence` lists the positions of the events. CSV has one line per cause.

                EXAMPLES
                  subledger project restate --close 2026-Q3
                  subledger project restate --close 2026-Q3@1 --to 120000 --format csv
                  subledger project restate --from 100000 --to 120000 --as-of 2026-10-01
                """)

        @Option(help: "Close whose numbers are restated: a name, or NAME@VERSION.")
        var close: String?

        @Option(help: "Log size before.")
        var from: UInt64?

        @Option(help: "Log size after (default: all events).")
        var to: UInt64?

        @Option(name: .customLong("as-of"), help: "Instant of the numbers (default: now; a close has its own).")
        var asOf: Instant?

        @Option(help: "Time zone of the calendar (default: retention.zone of the rules; a close has its own).")
        var zone: String?

        @Option(help: "Convert revenue to this currency (default: that of each sale; a close has its own).")
        var currency: String?

        @Option(name: .customLong("rules"), help: "Rules file to apply last.")
        var rulesFile: String?

        @Option(help: "Environment to include (default: Production; a close has its own).")
        var environment: Environment?

        @Option(name: .customLong("bundle-id"), help: "Bundle id of the app to include (default: all).")
        var bundleId: String?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: RowOutputOptions

        func validate() throws {
            guard (close == nil) != (from == nil) else { throw ValidationError("Give either --close or --from") }
            guard
                close == nil || asOf == nil && zone == nil && currency == nil && environment == nil && bundleId == nil
            else {
                throw ValidationError(
                    "--as-of, --zone, --currency, --environment and --bundle-id cannot be combined with --close")
            }
        }

        func run() throws {
            let rules = try rulesFile.map { try RulesFile(path: $0).rules }
            let opened = try ledger.reading()
            let answer = try output.withProgress { bar in
                func finish(_ query: inout RestatementQuery) {
                    (query.to, query.rules) = (to, rules)
                    if let bar { query.report = { bar.show($0) } }
                }
                if let close { return try opened.restatement(ofClose: close, finish) }
                var query = RestatementQuery(
                    asOf: try asOf ?? PresentInstant.of(opened), from: from ?? 0,
                    scope: CustomerScope(environment: environment ?? .production, bundleId: bundleId))
                (query.zone, query.currency) = (zone, currency)
                finish(&query)
                return try opened.restatement(query)
            }
            print(answer)
        }

        private func print(_ answer: RestatementAnswer) {
            let rows = answer.rows.map(\.json)
            switch output.effectiveFormat {
            case .json: Terminal.standardOutput.write(answer.json.serialized() + "\n")
            case .csv: Terminal.standardOutput.write(CSVTable(rows, nested: "causes").text)
            case .table:
                let heading = "as of \(answer.asOf.iso8601), log size \(answer.from) -> \(answer.to)\n"
                let table = AnswerTable.table(
                    answer.rows.map(\.tableRow), ["table", "cell", "field", "currency", "before", "after", "causes"])
                Terminal.standardOutput.write(heading + (rows.isEmpty ? "nothing moved\n" : table))
            }
        }
    }
}

extension RestatementRow {
    /// The row with its causes as `cause=change`.
    fileprivate var tableRow: JSONValue {
        guard case .object(let members) = json else { return json }
        let changes = causes.map { JSONValue.Member($0.cause, .integer($0.change)) }
        return .object(members.filter { $0.key != "causes" } + [.init("causes", .object(changes))])
    }
}
