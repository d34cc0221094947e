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
              \(BenchmarkRow.all.map(\.name).joined(separator: "\n  "))
            """
    )

    @Argument(help: "The rows to measure; all of them by default.")
    var names: [String] = []

    @Option(name: .customLong("json"), help: "Write the results to this file as well.")
    var jsonFile: String?

    @Option(name: .customLong("swift"), help: "The compiler's version, to stand in the results.")
    var swiftVersion = "unknown"

    func validate() throws {
        for name in names where !BenchmarkRow.all.contains(where: { $0.name == name }) {
            throw ValidationError(
                "there is no row \(name); there are \(BenchmarkRow.all.map(\.name).joined(separator: ", "))")
        }
    }

    func run() async throws {
        var results: [BenchmarkResult] = []
        for row in BenchmarkRow.all where names.isEmpty || names.contains(row.name) {
            results.append(try await row.run())
        }
        let report = BenchmarkReport(machine: Machine.this, swiftVersion: swiftVersion, results: results)
        print(report.table)
        if let jsonFile {
            try Data((report.json.serialized() + "\n").utf8).write(to: URL(filePath: jsonFile))
        }
    }
}
