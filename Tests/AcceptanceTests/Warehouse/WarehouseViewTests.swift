import Exports
import FoundationEssentials
import LedgerTesting
import PostgreSQL
import Primitives
import SubscriptionLedger
import TableFiles
import Testing

/// The dbt package over exports of simulated ledgers, in DuckDB and PostgreSQL.
@Suite struct `Views of a warehouse` {
    /// A ledger with its exports: increments, and one export of everything as of the instant of the last.
    private struct Exported {
        let name: String
        let data: String
        let asOf: Instant
        let increments: [String]
        let full: String
        /// The address of a database that has the increments.
        let postgres: String
        /// The time zone of the rules.
        var zone = "UTC"
        /// The reporting currency of the exports.
        var currency: String?
        /// The file of the notifications of a simulated app.
        var notifications: String?
        /// The warehouses on which dbt runs. It takes seconds.
        var targets = ["duckdb", "postgres"]
        /// Whether the rules leave access.renewalLeewayMinutes as it is.
        var isLeewayDefault = true

        var json: String {
            JSONValue.object([
                "name": .string(name), "data": .string(data), "asOf": .string(asOf.iso8601), "zone": .string(zone),
                "currency": JSONValue(currency), "isLeewayDefault": .bool(isLeewayDefault),
                "notifications": JSONValue(notifications), "targets": .array(targets.map { .string($0) }),
                "nightly": .array(increments.map { .string($0) }), "full": .string(full),
                "postgres": .string(postgres),
            ]).serialized()
        }
    }

    @Test func `have the numbers of the commands`() async throws {
        let temporary = try TemporaryFolder()
        var exports = [try await blocking { try Self.demo(in: temporary.path + "/demo") }]
        var ledgers: [NightlyLedger] = []
        for index in 0..<(TestEnvironment.isLong ? 10 : 3) {
            let ledger = try NightlyLedger(seed: TestEnvironment.seed &+ UInt64(index))
            var export = try await Self.nightly(ledger, "seed_\(index)")
            if !TestEnvironment.isLong { export.targets = [export.targets[index % 2]] }
            exports.append(export)
            ledgers.append(ledger)
        }
        let package = FileManager.default.currentDirectoryPath + "/Warehouse"
        let arguments = [try ChildProcess.folder() + "/subledger", package, temporary.path] + exports.map(\.json)
        let lines = try await blocking { try Python.lines(Python.path(of: "check.py", beside: #filePath), arguments) }
        for line in lines { print("warehouse: \(line)") }
        #expect(lines.count == 2 * exports.count)
        withExtendedLifetime(ledgers) {}
    }

    /// Rates of the days of the sales, with gaps, so that not every amount can be converted.
    private static let rates: String = {
        let first: Int64 = 20_089
        let days = stride(from: first, to: first + 520, by: 9).map { day in
            String(Instant(milliseconds: day * Instant.millisecondsPerDay).iso8601.prefix(10))
        }
        let lines = days.flatMap { day in
            [("EUR", "1.0352"), ("GBP", "1.2713"), ("JPY", "0.00641")].map { of, rate in
                "  - {day: \(day), of: \(of), rate: \"\(rate)\"}"
            }
        }
        return (["version: 1", "currency: USD", "rates:"] + lines).joined(separator: "\n") + "\n"
    }()

    /// Exports the ledger of the simulated app, with a catalogue and exchange rates.
    private static func demo(in folder: String) throws -> Exported {
        func run(_ arguments: String...) throws -> Subledger {
            let run = try Subledger(arguments)
            try #require(run.ending == .exited(0), "\(arguments): \(run.errors)")
            return run
        }
        let data = folder + "/ledger"
        _ = try run("simulate", "--seed", "1", "--out", folder)
        _ = try run(
            "ingest", folder + "/notifications.ndjson", "--trust-root", folder + "/root.der", "--bundle-id",
            "com.example.app", "--app-apple-id", "1234567890", "--data", data, "--quiet")
        _ = try run("catalog", "apply", folder + "/catalog.yaml", "--data", data)
        try File.write(Array(rates.utf8), to: folder + "/rates.yaml")
        _ = try run("rates", "apply", folder + "/rates.yaml", "--data", data)
        func export(_ asOf: String, to destination: String, _ options: String...) throws -> String {
            let arguments = ["export", "--data", data, "--to", destination, "--as-of", asOf, "--currency", "USD"]
            let run = try Subledger(arguments + ["--format", "json"] + options)
            return try #require(try run.lines.first?["manifest"]?.string, "\(run.errors)")
        }
        let (database, asOf) = (try PostgresDatabase(), "2026-05-20T12:00:00.000Z")
        let first = try export("2026-03-01", to: folder + "/nightly")
        let second = try export(asOf, to: folder + "/nightly", "--since", first)
        for instant in ["2026-03-01", asOf] { _ = try export(instant, to: database.address()) }
        return Exported(
            name: "demo", data: data, asOf: try #require(Instant(iso8601: asOf)), increments: [first, second],
            full: try export(asOf, to: folder + "/full"), postgres: database.address(), currency: "USD",
            notifications: folder + "/notifications.ndjson")
    }

    /// Exports a ledger after some nights. Rules with another zone are activated between them.
    private static func nightly(_ ledger: NightlyLedger, _ name: String) async throws -> Exported {
        let database = try await blocking { try PostgresDatabase() }
        let destination = PostgresDestination(try #require(PostgresAddress(database.address())))
        var (next, manifests) = (0, [String]())
        for night in 0..<25 {
            try await ledger.play(to: night, from: &next)
            guard night % 6 == 0 else { continue }
            let asOf = ledger.instant(of: night)
            manifests.append(
                try await ledger.export(.parquet(.snappy), asOf: asOf, since: manifests.last, to: "nightly")
                    .manifestPath)
            let request = try await ledger.request(.csv, asOf: asOf)
            _ = try await ContinuedExport(of: destination.newestExport(), ledger.reader, request)
                .export(to: destination)
        }
        let asOf = ledger.instant(of: 24)
        return Exported(
            name: name, data: ledger.dataFolder, asOf: asOf, increments: manifests,
            full: try await ledger.export(.parquet(.snappy), asOf: asOf, to: "full").manifestPath,
            postgres: database.address(), zone: "Asia/Tokyo", isLeewayDefault: false)
    }
}
