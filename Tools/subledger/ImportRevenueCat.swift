import ArgumentParser
import LedgerStorage
import Primitives
import SubscriptionLedger

struct ImportRevenueCat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revenuecat",
        abstract: "Compare an export of RevenueCat with the ledger.",
        discussion: """
            Reads the CSV of a scheduled data export, version 5. Each transaction of the App Store is compared with what \
            Apple signed: `known` when both agree, `conflict` with the columns that differ, `unknown_id` when the ledger \
            does not have it. Fill the ledger first: `subledger import` takes the original_store_transaction_id of every \
            row. Compared are the product, the times of the period, the kind of purchase, trial and introductory offer, \
            environment, ownership, price, refund and customer.

            What RevenueCat asserts becomes an event of its own that changes no answer. Neither ids nor attributes of \
            customers are in it. Exits with status 1 when something differs.

            EXAMPLES
              zcat transactions.csv.gz | subledger import revenuecat -
              subledger import revenuecat transactions.csv --format json | jq 'select(.verdict == "conflict")'
            """)

    @Argument(help: "CSV file; - reads standard input.")
    var file: String

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try ImportCommand.requireFile(file)
        try ledger.folder.requireExists()
        let report = RevenueCatReport(output)
        let access = try LedgerAccess(try ledger.configuration())
        defer { access.close() }
        switch access {
        case .service(let client):
            try await client.compareRevenueCat(at: file, counting: report.total) { report.add($0) }
        case .writer(let writer):
            var comparison = try RevenueCatImport(writer)
            var chunks = try ChunkReader(path: file)
            while let chunk = try chunks.next() {
                report.total.add(chunk)
                report.add(try await comparison.read(chunk).map(\.json))
            }
            report.add(try await comparison.finish().map(\.json))
        }
        report.finish()
        if report.hasProblems { throw ExitCode(CommandFailure.refused) }
    }
}

/// Prints compared rows, in a table customer by customer.
private final class RevenueCatReport {
    let total = LineCount()
    private let format: OutputFormat
    private let bar: ShareProgressBar?
    private var compared = 0
    private var counts: [String: Int] = [:]
    private var problems: [JSONValue] = []

    private static let agreed = "known"
    private static let anotherStore = "refused"
    private static let columns = [
        "customer", "transactionId", "line", "verdict", "column", "asserted", "found", "because",
    ]

    init(_ output: OutputOptions) {
        format = output.effectiveFormat
        bar = output.showsProgress ? ShareProgressBar("comparing") : nil
    }

    /// Rows of other stores are not problems.
    var hasProblems: Bool { counts.contains { ![Self.agreed, Self.anotherStore].contains($0.key) } }

    func add(_ rows: [JSONValue]) {
        compared += rows.count
        bar?.show(min(Double(compared) / Double(max(total.lines, 1)), 1))
        for row in rows {
            guard case .string(let verdict)? = row[member: "verdict"] else { continue }
            counts[verdict, default: 0] += 1
            if format == .json {
                Terminal.standardOutput.write(row.serialized() + "\n")
            } else if ![Self.agreed, Self.anotherStore].contains(verdict) {
                problems += Self.lines(of: row)
            }
        }
    }

    func finish() {
        bar?.clear()
        guard format == .table else { return }
        if !problems.isEmpty {
            let sorted = problems.sorted { Self.order($0).lexicographicallyPrecedes(Self.order($1)) }
            Terminal.standardOutput.write(AnswerTable.table(sorted, Self.columns))
        }
        let sums = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        Terminal.standardOutput.write((sums.isEmpty ? "no rows" : sums.joined(separator: ", ")) + "\n")
    }

    /// A line for each column that differs.
    private static func lines(of row: JSONValue) -> [JSONValue] {
        guard case .object(let members) = row else { return [] }
        let disagreements = row.elements(of: "disagreements")
        guard !disagreements.isEmpty else {
            return [.object(members.filter { $0.key != "code" } + [.init("column", row[member: "code"] ?? .null)])]
        }
        return disagreements.map { disagreement in
            guard case .object(let differing) = disagreement else { return row }
            return .object(members.filter { !["code", "disagreements"].contains($0.key) } + differing)
        }
    }

    private static func order(_ row: JSONValue) -> [String] {
        ["customer", "transactionId", "column"].map { row[member: $0]?.serialized() ?? "" }
    }
}
