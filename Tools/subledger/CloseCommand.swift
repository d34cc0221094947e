import AppStoreModel
import ArgumentParser
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger

struct CloseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Store the numbers of a period under its name, and show them.",
        discussion: """
            Appends an event with the numbers by month (cohorts, churn, segments, revenue, recurring revenue) as of the \
            end of the period, their definitions, the digests of the rules and of the time zone, the log size and its \
            checkpoint. A second close of a name is a new version. `subledger project restate --close NAME` shows what \
            moved since. While `serve` runs, the service appends the event on behalf of the command.

            EXAMPLES
              subledger close 2026-Q3
              subledger close 2026-07 --zone America/Los_Angeles --currency USD
              subledger close audit --as-of 2026-07-15
              subledger close --list
              subledger close --show 2026-Q3@1 --format csv
            """)

    @Argument(help: "Name: a year, quarter or month, such as 2026, 2026-Q3 or 2026-07; any other with --as-of.")
    var name: String?

    @Flag(help: "List the closes.")
    var list = false

    @Option(help: "Show the numbers of a close: a name, or NAME@VERSION.")
    var show: String?

    @Option(name: .customLong("as-of"), help: "Instant of the numbers (default: the end of the period in the name).")
    var asOf: Instant?

    @Option(help: "Time zone of the calendar (default: retention.zone of the rules).")
    var zone: String?

    @Option(help: "Convert revenue to this currency (default: the currency of each sale).")
    var currency: String?

    @Option(help: "Environment to include (default: Production).")
    var environment: Environment?

    @Option(name: .customLong("bundle-id"), help: "Bundle id of the app to include (default: all).")
    var bundleId: String?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: RowOutputOptions

    func validate() throws {
        guard [name != nil, list, show != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give either a name, --list or --show")
        }
        let isPlain = asOf == nil && zone == nil && currency == nil && environment == nil && bundleId == nil
        guard name != nil || isPlain else {
            throw ValidationError(
                "--as-of, --zone, --currency, --environment and --bundle-id apply only to a new close")
        }
    }

    func run() async throws {
        if list {
            return print(try ledger.reading().closeList().json, rows: "closes", Self.columnsOfCloses)
        }
        if let show { return print(try ledger.reading().close(named: show).json, rows: "rows", Self.columns) }
        print(try await close(name ?? ""), rows: "rows", Self.columns)
    }

    /// Computes the numbers in this process, so that a running service answers meanwhile.
    private func close(_ name: String) async throws -> JSONValue {
        var query = CloseQuery(name, scope: CustomerScope(environment: environment ?? .production, bundleId: bundleId))
        (query.asOf, query.zone, query.currency) = (asOf, zone, currency)
        try ledger.folder.requireExists()
        let access = try LedgerAccess(try ledger.configuration())
        defer { access.close() }
        let numbers = try output.withProgress { bar in
            if let bar { query.report = { bar.show($0) } }
            return try access.reader().closingNumbers(query)
        }
        return try await access.close(numbers)
    }

    private static let columns = ["table", "cell", "field", "currency", "value"]
    private static let columnsOfCloses = [
        "name", "version", "asOf", "zone", "definition", "mrr", "currency", "size", "position", "closedAt",
    ]

    private func print(_ answer: JSONValue, rows: String, _ columns: [String]) {
        switch output.effectiveFormat {
        case .json: Terminal.standardOutput.write(answer.serialized() + "\n")
        case .csv: Terminal.standardOutput.write(CSVTable(answer.elements(of: rows)).text)
        case .table:
            if let close = answer[member: "close"] {
                Terminal.standardOutput.write(AnswerTable.table([close], Self.columnsOfCloses) + "\n")
            }
            Terminal.standardOutput.write(AnswerTable.table(answer.elements(of: rows), columns))
        }
    }
}
