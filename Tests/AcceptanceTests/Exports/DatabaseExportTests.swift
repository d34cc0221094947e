import Exports
import LedgerModel
import LedgerTesting
import PostgreSQL
import Primitives
import SubscriptionLedger
import TableFiles
import Testing

/// Exports to PostgreSQL, whose tables psql and Python read back.
@Suite struct `Exports to a database` {
    private static func destination(_ database: PostgresDatabase) throws -> PostgresDestination {
        PostgresDestination(try #require(PostgresAddress(database.address())))
    }

    /// Continues the newest load as of an instant.
    private static func load(
        _ ledger: NightlyLedger, asOf: Instant, size: Position? = nil, into database: PostgresDatabase
    ) async throws -> CompletedExport {
        let destination = try destination(database)
        let request = try await ledger.request(.csv, asOf: asOf, size: size)
        return try await ContinuedExport(of: destination.newestExport(), ledger.reader, request).export(to: destination)
    }

    @Test func `of thirty nights equal one of everything, row by row`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        let (nightly, whole) = try await blocking { (try PostgresDatabase(), try PostgresDatabase()) }
        var (next, exports) = (0, [CompletedExport]())
        for night in 0..<NightlyLedger.nights {
            try await ledger.play(to: night, from: &next)
            exports.append(try await Self.load(ledger, asOf: ledger.instant(of: night), into: nightly))
        }
        let last = ledger.instant(of: NightlyLedger.nights - 1)
        let full = try await Self.load(ledger, asOf: last, into: whole)
        let local = try await ledger.export(.csv, asOf: last, to: "whole")
        #expect(full.digest == local.digest && !full.existed)
        let again = try await Self.load(ledger, asOf: last, into: nightly)
        #expect(again.existed && again.digest == exports.last?.digest)
        let modes = exports.map { export in Set(export.tables.map(\.mode)) }
        #expect(modes[0] == [.full] && modes.dropFirst().allSatisfy { $0 == [.delta] })
        try await blocking {
            let warehouse = Python.path(of: "warehouse.py", beside: #filePath)
            let content = try #require(try Python.lines(warehouse, [local.manifestPath]).first)
            #expect(try whole.content() == content)
            #expect(try nightly.content() == content)
            // Each load continues the one before.
            let broken = try nightly.run(
                """
                SELECT count(*), count(*) FILTER (WHERE base IS DISTINCT FROM base_sha256)
                FROM (SELECT base_sha256, lag(manifest_sha256) OVER (ORDER BY seq) base FROM subledger.load) loads
                """)
            #expect(broken == [["30", "0"]])
        }
    }

    @Test func `are refused in every order but the right one`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        let database = try await blocking { try PostgresDatabase() }
        let destination = try Self.destination(database)
        var (next, bases, sizes) = (0, [String?]([nil]), [Position]())
        for night in 0..<4 {
            try await ledger.play(to: night, from: &next)
            sizes.append(try ledger.reader.size())
            let export = try await ledger.export(
                .csv, asOf: ledger.instant(of: night), since: bases.last ?? nil, to: "nightly")
            bases.append(export.manifestPath)
        }
        func load(_ night: Int) async throws -> CompletedExport {
            let request = try await ledger.request(
                .csv, asOf: ledger.instant(of: night), size: sizes[night], since: bases[night])
            return try await Exporter(ledger.reader, request).export(to: destination)
        }
        for loaded in 0..<4 {
            for night in 0..<4 where night > loaded {
                let gap = await #expect(throws: ExportGap.self) { try await load(night) }
                #expect(gap?.diagnosis.code == "export_gap" && gap?.diagnosis.hint != nil)
            }
            #expect(try await !load(loaded).existed)
            let content = try await blocking { try database.content() }
            for night in 0...loaded { #expect(try await load(night).existed) }
            let (after, count) = try await blocking {
                (try database.content(), try database.run("SELECT count(*) FROM subledger.load"))
            }
            #expect(after == content && count == [["\(loaded + 1)"]])
        }
    }

    @Test func `keep every value, the least and the greatest too`() async throws {
        let database = try await blocking { try PostgresDatabase() }
        let schema = TableSchema(
            name: "values", version: 1, keyCount: 2,
            columns: [
                TableColumn("key", .text), TableColumn("at", .instant), TableColumn("text", .text, isNullable: true),
                TableColumn("big", .int64, isNullable: true), TableColumn("small", .int32, isNullable: true),
                TableColumn("flag", .boolean, isNullable: true), TableColumn("day", .date, isNullable: true),
                TableColumn("amount", .money), TableColumn("rate", .rate),
                TableColumn("list", .json, isNullable: true), TableColumn("digest", .hex, isNullable: true),
            ])
        let rows = Self.rows.map { fill in
            var row = TableRow(schema)
            fill(&row)
            return row
        }
        let table = PostgresTable(schema: schema)
        try await blocking {
            let connection = try database.connection()
            try connection.transaction {
                try connection.execute("CREATE SCHEMA subledger")
                try connection.execute("CREATE TABLE subledger.table_version AS SELECT 'values'::text AS name")
                try connection.execute(table.create)
                let staging = table.staging(.part)
                try connection.execute(staging.create)
                var file = Self.file(of: rows, schema).map { [$0] }[...]
                try connection.copy(staging.copy) { file.popFirst() }
                try connection.execute(staging.apply)
            }
            // Reads each value, and computes its digest again.
            _ = try database.content()
            let sum = rows.reduce(Int128(0)) { $0 + Int128($1.rowDigest) }
            #expect(try connection.execute(table.content) == [["\(rows.count)", "\(sum)"]])
            let texts = try connection.execute("SELECT text FROM subledger.values WHERE text IS NOT NULL ORDER BY key")
            #expect(texts.compactMap { $0[0] } == Self.texts)
        }
    }

    private static let texts = [
        "\"quoted\", 'single'", "two\nlines\r\nthree\r", "=1+1", "\\.", "\\N", "NULL", " ", "\t", "a\\.\n\\.\nb",
        "\u{1F469}\u{200D}\u{1F467}\u{10FFFF}\u{FFFD}", "\u{1}\u{7F}", String(repeating: "long ", count: 20_000),
    ]

    /// A row for each text, and others with null, the least and the greatest of each column.
    private static var rows: [(inout TableRow) -> Void] {
        texts.enumerated().map { index, text in
            { row in
                row.append(text: "a\(index + 10)")
                row.append(instant: Instant(milliseconds: 0))
                row.append(text: text)
                for _ in 0..<6 { row.appendNull() }
                row.append(json: JSONValue.object(["text": .string(text)]).canonical())
                row.appendNull()
            }
        } + [
            { row in
                row.append(text: "\\.")
                row.append(instant: .earliest)
                for _ in 0..<9 { row.appendNull() }
            },
            { row in extreme(&row, .earliest, .min, Int64(Int32.min), false, -1, [0]) },
            { row in extreme(&row, .latest, .max, Int64(Int32.max), true, 1, [UInt8](repeating: 255, count: 32)) },
            { row in extreme(&row, Instant(milliseconds: -1), 0, 0, true, 0, [1]) },
        ]
    }

    private static func extreme(
        _ row: inout TableRow, _ instant: Instant, _ big: Int64, _ small: Int64, _ flag: Bool, _ sign: Int64,
        _ bytes: [UInt8]
    ) {
        row.append(text: "=\"key\",\n\u{1F600}")
        row.append(instant: instant)
        row.appendNull()
        row.append(integer: big)
        row.append(integer: small)
        row.append(boolean: flag)
        row.append(daysSinceEpoch: instant.milliseconds.flooringDivided(by: Instant.millisecondsPerDay))
        row.append(milliunits: sign * 999_999_999_999_999_999)
        row.append(nanounits: sign * 999_999_999_999_999_999)
        row.append(json: JSONValue.array([.integer(big == .min ? 0 : big), .null]).canonical())
        row.append(hex: bytes)
    }

    /// Returns the file of rows, in pieces of a few bytes.
    private static func file(of rows: [TableRow], _ schema: TableSchema) -> [UInt8] {
        let columns =
            schema.columns + [
                TableColumn("row_digest", .int64), TableColumn("op", .text), TableColumn("restated", .boolean),
            ]
        let whole = TableSchema(name: schema.name, version: 1, keyCount: schema.keyCount, columns: columns)
        var writer = CSVWriter(whole)
        for row in rows {
            var stored: [UInt8] = []
            row.encode(into: &stored)
            var full = TableRow(whole)
            stored.withUnsafeBytes { full.decode($0) }
            full.append(integer: row.rowDigest)
            full.append(text: "insert")
            full.append(boolean: false)
            writer.append(full)
        }
        writer.finish()
        return writer.output
    }
}
