import AppStoreModel
import ArgumentParser
import Exports
import LedgerAPI
import LedgerConfiguration
import Primitives
import SubscriptionLedger
import TableFiles

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write tables for a warehouse, and show the exports on a schedule.",
        discussion: """
            EXAMPLES
              subledger export --to ./exports
              subledger export --to postgres://subledger@127.0.0.1/warehouse
              subledger export status --config subledger.yaml
              subledger export tables --help
            """,
        subcommands: [ExportTablesCommand.self, ExportStatusCommand.self], defaultSubcommand: ExportTablesCommand.self)
}

struct ExportTablesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tables",
        abstract:
            "Write tables for a warehouse: to files, in a folder or a bucket, or to a PostgreSQL database.",
        discussion: """
            Each export gets a folder of its own in --to, which is never overwritten: plan.json, the files of each \
            table, and manifest.json last. A folder without a manifest is not complete; the same command completes it. \
            The same log size, instant, rules and options give the same bytes.

            With --since, an export has only what differs from an earlier one, also in rows that changed without an \
            event. Load the rows of deleted-*, then those of part-* by key. The column restated marks rows whose past \
            changed. `after` in the manifest has the number of rows of the loaded table, and the sum of row_digest.

            `facts` is for tables that one machine is too small for: in place of tables, it writes what they are computed \
            from, in segments that subledger-fold reads, without a ledger. Each segment has the whole history of its \
            customers. --as is then the format of the rows that the fold writes, csv or jsonl.

            A bucket is one of S3 or of a compatible service. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, \
            AWS_SESSION_TOKEN (of temporary credentials) and AWS_REGION give access to it; AWS_ENDPOINT_URL_S3 or \
            AWS_ENDPOINT_URL names a service that is not Amazon's.

            A database gets the tables in the schema subledger, and each export in one transaction. By default an export \
            continues the newest one in the database: only what differs from it is loaded. Everything is loaded into \
            an empty database, with other options than before, and with --full. The variables and files of libpq \
            apply, such as PGPASSWORD and ~/.pgpass.

            TABLES
            \(Self.list)

            EXAMPLES
              subledger export --to ./exports
              subledger export history charges --to ./exports --as csv --as-of 2026-03-01
              subledger export --to ./exports --since ./exports/e-000000001200-1767225600000-0a1b2c3d/manifest.json
              subledger export --to s3://warehouse/subledger
              subledger export --to postgres://subledger@127.0.0.1/warehouse
              subledger export facts --to ./facts --partitions 64 --as csv
            """)

    private static let list = ExportTable.all.map { "  \($0.name)" }.joined(separator: "\n")

    @Argument(help: "The tables, or `facts` (default: all tables).")
    var tables: [String] = []

    @Option(
        name: .customLong("to"),
        help:
            "Folder or s3://BUCKET/PREFIX, in which the export gets a folder of its own, or postgres://USER@HOST/DATABASE."
    )
    var destination: String?

    @Option(
        name: .customLong("as"),
        help: "Format of files: parquet, csv or jsonl (default: parquet; of `facts`, jsonl).")
    var fileFormat: FileFormat?

    @Option(help: "Number of segments of `facts`, 1 to \(Self.partitionLimit) (default: 1).")
    var partitions: Int?

    @Option(
        help:
            "Manifest of the earlier export that this one continues, a path or s3://… (default: the newest one in a database, none for files)."
    )
    var since: String?

    @Flag(help: "Write everything, whatever was exported before.")
    var full = false

    @Option(
        name: .customLong("as-of"),
        help:
            "Instant of the tables: a date (its first instant in UTC), ISO 8601 with a zone, or milliseconds since 1970 (default: the time of the last event)."
    )
    var asOf: Instant?

    @Option(name: .customLong("known-at"), help: "Log size or instant (default: all events).")
    var knownAt: AsOfQuery.KnownAt?

    @Option(
        name: .customLong("environment"),
        help: "Environment to include; repeatable (default: Production). The table events has all.")
    var environments: [Environment] = [.production]

    @Option(name: .customLong("bundle-id"), help: "Bundle id of an app to include; repeatable (default: all).")
    var bundleIds: [String] = []

    @Option(help: "Currency of the columns reporting_*, by the rates of `rates apply` (default: none; they are null).")
    var currency: String?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    private static let facts = "facts"
    private static let partitionLimit = 10_000

    private var areFacts: Bool { tables.contains(Self.facts) }

    func validate() throws {
        guard !full || since == nil else { throw ValidationError("--full and --since cannot be combined") }
        guard areFacts else {
            guard partitions == nil else { throw ValidationError("--partitions is for `facts` only") }
            return
        }
        guard tables.count == 1 else { throw ValidationError("`facts` cannot be combined with tables") }
        guard since == nil else { throw ValidationError("`facts` and --since cannot be combined") }
        guard destination?.hasPrefix("postgres") != true else {
            throw ValidationError("`facts` go to a folder or a bucket")
        }
        guard fileFormat != .parquet else { throw ValidationError("the rows of a fold are csv or jsonl") }
        guard (1...Self.partitionLimit).contains(partitions ?? 1) else {
            throw ValidationError("--partitions must be from 1 to \(Self.partitionLimit)")
        }
    }

    func run() async throws {
        try report(try await ExportPlaces.withPlaces(export))
    }

    private func export(_ places: ExportPlaces) async throws -> CompletedExport {
        guard let destination else { throw CommandFailure(usage: "missing option --to, the place of the export") }
        let place = try places.destination(destination)
        if let fileFormat, place is PostgresDestination, fileFormat.format != place.format {
            throw LoadFailed.otherFormat(fileFormat.rawValue)
        }
        let opened = try ledger.reading()
        var request = try request(as: place.format)
        request.asOf = asOf
        request.size = try opened.knownSize(knownAt)
        request.environments = Set(environments.map(\.rawValue))
        request.bundleIds = Set(bundleIds)
        request.reportingCurrency = currency
        if let since { request.base = try await places.base(since) }
        return try await RowOutputOptions.withProgress(quiet: output.quiet) { bar in
            if let bar { request.report = { bar.show($0) } }
            if full || since != nil || areFacts { return try await Exporter(opened, request).export(to: place) }
            return try await ContinuedExport(of: place.newestExport(), opened, request).export(to: place)
        }
    }

    /// - Parameter format: the format of tables unless the options name another.
    private func request(as format: TableFileFormat) throws -> ExportRequest {
        guard !areFacts else {
            var request = ExportRequest(ExportTable.states, as: (fileFormat ?? .jsonl).format)
            request.partitions = partitions ?? 1
            return request
        }
        let named = try tables.map { try ExportTable(named: $0) }
        return ExportRequest(named.isEmpty ? ExportTable.all : named, as: fileFormat?.format ?? format)
    }

    private func report(_ export: CompletedExport) throws {
        switch output.effectiveFormat {
        case .json: Terminal.standardOutput.write(export.json.serialized() + "\n")
        case .table:
            var columns = TextColumns()
            let header = ["table", "mode", "upserts", "deletes", "restated", "rows after"]
            let lines = export.tables.map { table in
                [table.name, table.mode.rawValue]
                    + [table.upserts, table.deletes, table.restated, table.after.rows].map { String($0) }
            }
            let note = export.existed ? " (complete before; nothing was written)" : ""
            Terminal.standardOutput.write(columns.text(of: [header] + lines) + "\n\(export.manifestPath)\(note)\n")
        }
    }
}

/// A format of files.
enum FileFormat: String, ExpressibleByArgument, CaseIterable {
    case parquet, csv, jsonl

    var format: TableFileFormat {
        switch self {
        case .parquet: .parquet(.snappy)
        case .csv: .csv
        case .jsonl: .jsonLines
        }
    }
}
