import LedgerTesting
import Primitives
import TableFiles
import Testing

@Suite struct `Parquet files` {
    @Test(arguments: [0, 1, 2, 7, 8, 9, 300, 3_000])
    func `of generated rows are read by Arrow and DuckDB`(count: Int) throws {
        let seed = SeededRandom.seed &+ UInt64(count)
        print("Parquet of \(count) rows, seed \(seed)")
        try SampleTable(rows: count, seed: seed).compare(.parquet(.snappy))
    }

    @Test func `need no compression`() throws {
        try SampleTable(rows: 500, seed: SeededRandom.seed).compare(.parquet(.uncompressed))
    }

    /// A table with a number of rows; its texts are distinct, are few, or are few and partly null.
    private func table(rows count: Int, distinct: Int = .max) -> SampleTable {
        let schema = TableSchema(
            name: "rows", version: 1, keyCount: 1,
            columns: [
                TableColumn("number", .int64), TableColumn("distinct_texts", .text), TableColumn("few", .text),
                TableColumn("partly", .text, isNullable: true), TableColumn("nothing", .int32, isNullable: true),
            ])
        return SampleTable(
            schema: schema,
            rows: (0..<count).map { index in
                [
                    .integer(Int64(index)), .text("t\(index % distinct)"), .text("f\(index % 5)"),
                    index % 3 == 0 ? .null : .text("p\(index / 1_000)"), .null,
                ]
            })
    }

    @Test func `begin a row group after 131,072 rows`() throws {
        #expect(try table(rows: 131_072).compare(.parquet(.snappy)) == ["131072 PPDDP"])
        #expect(try table(rows: 131_073).compare(.parquet(.snappy)) == ["131072 PPDDP", "1 PPPPP"])
    }

    @Test func `have dictionaries of at most 65,536 values`() throws {
        #expect(try table(rows: 131_072, distinct: 65_536).compare(.parquet(.snappy)) == ["131072 PDDDP"])
        #expect(try table(rows: 131_072, distinct: 65_537).compare(.parquet(.snappy)) == ["131072 PPDDP"])
    }

    private func texts(_ texts: [String?]) -> SampleTable {
        let schema = TableSchema(
            name: "texts", version: 1, keyCount: 1,
            columns: [TableColumn("number", .int32), TableColumn("value", .text, isNullable: true)])
        return SampleTable(
            schema: schema,
            rows: texts.enumerated().map { [.integer(Int64($0)), $1.map { .text($0) } ?? .null] })
    }

    @Test func `have pages of a mebibyte`() throws {
        let long = String(repeating: "x", count: 1_000)
        try texts((0..<4_000).map { $0 % 7 == 0 ? nil : long + "\($0)" }).compare(.parquet(.snappy))
        // A page ends with the last value; nulls follow it.
        try texts((0..<10).map { $0 == 0 ? String(repeating: "x", count: 2_000_000) : nil }).compare(.parquet(.snappy))
    }

    @Test func `have dictionaries of at most a mebibyte`() throws {
        let long = String(repeating: "x", count: 9_990)
        let some = (0..<1_000).map { "\(1_000_000 + $0 % 100)" + long }
        #expect(try texts(some).compare(.parquet(.snappy)) == ["1000 PD"])
        let more = (0..<1_000).map { "\(1_000_000 + $0 % 105)" + long }
        #expect(try texts(more).compare(.parquet(.snappy)) == ["1000 PP"])
    }

    @Test func `begin a row group after 32 MiB`() throws {
        let long = String(repeating: "y", count: 1 << 20)
        #expect(try texts((0..<34).map { "\($0)" + long }).compare(.parquet(.snappy)) == ["32 PP", "2 PP"])
    }

    @Test func `have the same bytes on every machine`() {
        // Other bytes need another number in `ParquetFooter.createdBy`.
        let files = SampleTable(rows: 2_000, seed: 1).files(.parquet(.snappy))
        #expect(
            files.map { Digest.sha256(of: $0).hex } == [
                "eb612a50f2b62a7cd21e23727053f3e69311a053d090ea08a83178a73a5a486b"
            ])
    }

    @Test func `are full after eight row groups`() {
        let schema = TableSchema(name: "numbers", version: 1, keyCount: 1, columns: [TableColumn("number", .int64)])
        var (writer, row) = (ParquetWriter(schema), TableRow(schema))
        for number in 0..<1_048_576 {
            if number & 0xFFFF == 0 { #expect(!writer.isFull) }
            row.removeAll()
            row.append(integer: Int64(number))
            writer.append(row)
        }
        #expect(writer.isFull)
    }
}

@Suite struct `Export files` {
    private static let formats: [TableFileFormat] = [.csv, .jsonLines, .parquet(.snappy), .parquet(.uncompressed)]

    @Test(arguments: [TableFileFormat.csv, .jsonLines])
    func `of generated rows are read by Python and DuckDB`(format: TableFileFormat) throws {
        for count in [0, 1, 300] {
            let seed = SeededRandom.seed &+ UInt64(count)
            print("\(format) of \(count) rows, seed \(seed)")
            try SampleTable(rows: count, seed: seed).compare(format)
        }
    }

    @Test(arguments: formats)
    func `have the same bytes however they are taken`(format: TableFileFormat) {
        let table = SampleTable(rows: 200, seed: SeededRandom.seed)
        let file = table.files(format)
        #expect(table.files(format) { _ in true } == file)
        #expect(table.files(format) { $0 % 7 == 3 } == file)
    }

    @Test func `have the texts of their values`() {
        let schema = TableSchema(
            name: "charges", version: 1, keyCount: 1,
            columns: [
                TableColumn("id", .text), TableColumn("amount", .money), TableColumn("at", .instant),
                TableColumn("day", .date),
                TableColumn("note", .text, isNullable: true), TableColumn("inferred", .boolean),
                TableColumn("because", .json),
                TableColumn("hash", .hex, isNullable: true),
            ])
        let table = SampleTable(
            schema: schema,
            rows: [
                [
                    .text("1"), .money(9_990), .instant(Instant(milliseconds: 1_769_817_600_000)), .date(20_484),
                    .text("=say \"no\",\nthen"), .boolean(true), .json("[1,2]"), .hex([0, 255]),
                ],
                [
                    .text("2"), .null, .instant(Instant(milliseconds: 0)), .date(0), .null, .boolean(false),
                    .json("{}"), .null,
                ],
            ])
        let csv =
            "id,amount,at,day,note,inferred,because,hash\r\n"
            + "1,9.990,2026-01-31T00:00:00.000Z,2026-01-31,\"=say \"\"no\"\",\nthen\",true,\"[1,2]\",00ff\r\n"
            + "2,,1970-01-01T00:00:00.000Z,1970-01-01,,false,{},\r\n"
        #expect(table.files(.csv).map { String(decoding: $0, as: UTF8.self) } == [csv])
        let json =
            #"{"id":"1","amount":"9.990","at":"2026-01-31T00:00:00.000Z","day":"2026-01-31","#
            + #""note":"=say \"no\",\nthen","inferred":true,"because":[1,2],"hash":"00ff"}"# + "\n"
            + #"{"id":"2","amount":null,"at":"1970-01-01T00:00:00.000Z","day":"1970-01-01","#
            + #""note":null,"inferred":false,"because":{},"hash":null}"# + "\n"
        #expect(table.files(.jsonLines).map { String(decoding: $0, as: UTF8.self) } == [json])
    }
}
