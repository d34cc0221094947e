import ArgumentParser
import FoundationEssentials
import Primitives

/// Measures the ledger and the limits of the machine, both in the same run.
///
/// Exits 0 even when a target is missed; the table reports it.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Measure the ledger beside the limits that the machine sets in the same run.",
        discussion: """
            EXAMPLE
              Tools/bench verify-notification --json results.json

            ROWS
              \(BenchmarkRow.all(events: LedgerSample.usualEventCount).map(\.name).joined(separator: "\n  "))
            """
    )

    @Argument(help: "The rows to measure; all of them by default.")
    var names: [String] = []

    @Option(name: .customLong("json"), help: "Write the results to this file as well.")
    var jsonFile: String?

    @Option(help: "The size of the ledger of get-during-rebuild, kept in .build/benchmarks/.")
    var events = LedgerSample.usualEventCount

    @Option(name: .customLong("swift"), help: "The compiler's version, to stand in the results.")
    var swiftVersion = "unknown"

    func validate() throws {
        let known = rows.map(\.name)
        for name in names where !known.contains(name) {
            throw ValidationError("there is no row \(name); there are \(known.joined(separator: ", "))")
        }
        guard events >= LedgerSample.leastEventCount else {
            throw ValidationError("--events must be at least \(LedgerSample.leastEventCount)")
        }
    }

    private var rows: [BenchmarkRow] { BenchmarkRow.all(events: events) }

    func run() async throws {
        var results: [BenchmarkResult] = []
        for row in rows where names.isEmpty || names.contains(row.name) {
            results.append(try await row.run())
        }
        let report = BenchmarkReport(machine: Machine.this, swiftVersion: swiftVersion, results: results)
        print(report.table)
        if let jsonFile {
            try Data((report.json.serialized() + "\n").utf8).write(to: URL(filePath: jsonFile))
        }
    }
}
