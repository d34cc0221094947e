import ArgumentParser
import Primitives
import SubscriptionLedger

extension LogCommand {
    struct Acts: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the ledger's own events, with the name of who caused them.",
            discussion: """
                Links, merges, transfers, grants, consents, mapped tokens, erasures, activated rules, catalogues, rates, \
                closes and requests to Apple. name is that of the API key, or of the person who activated rules. It is \
                null for the owner of the data folder.

                EXAMPLES
                  subledger log acts
                  subledger log acts --name web --from 1000 --format csv
                """)

        @Option(help: "First position.")
        var from: UInt64 = 0

        @Option(help: "Only acts under this name.")
        var name: String?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: RowOutputOptions

        func run() throws {
            var rows: [JSONValue] = []
            try ledger.reading().forEachAct(from: from, by: name) { rows.append($0) }
            switch output.effectiveFormat {
            case .json:
                Terminal.standardOutput.write(JSONValue.object(["rows": .array(rows)]).serialized() + "\n")
            case .csv: Terminal.standardOutput.write(CSVTable(rows).text)
            case .table:
                Terminal.standardOutput.write(
                    AnswerTable.table(rows, ["position", "recordedAt", "kind", "source", "name", "body"]))
            }
        }
    }
}
