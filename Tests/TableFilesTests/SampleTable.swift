import LedgerTesting
import Primitives
import TableFiles

/// A value for a cell, with the text that the files must have for it.
enum SampleValue {
    case null
    case text(String, expected: String)
    case integer(Int64)
    case boolean(Bool)
    case instant(Instant)
    case date(Int64)
    case money(Int64)
    case rate(Int64)
    case json(String)
    case hex([UInt8])

    static func text(_ text: String) -> SampleValue { .text(text, expected: text) }

    var expected: String? {
        switch self {
        case .null: nil
        case .text(_, let expected): expected
        case .integer(let value): "\(value)"
        case .boolean(let value): "\(value)"
        case .instant(let value): value.iso8601
        case .date(let days):
            String(Instant(milliseconds: days * Instant.millisecondsPerDay).iso8601.prefix { $0 != "T" })
        case .money(let value): Self.decimal(value, digits: 3)
        case .rate(let value): Self.decimal(value, digits: 9)
        case .json(let text): text
        case .hex(let bytes): Hex.encode(bytes)
        }
    }

    private static func decimal(_ value: Int64, digits: Int) -> String {
        let text = "\(value.magnitude)"
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        return (value < 0 ? "-" : "") + padded.dropLast(digits) + "." + padded.suffix(digits)
    }

    func append(to row: inout TableRow) {
        switch self {
        case .null: row.appendNull()
        case .text(let text, _): row.append(text: text)
        case .integer(let value): row.append(integer: value)
        case .boolean(let value): row.append(boolean: value)
        case .instant(let value): row.append(instant: value)
        case .date(let days): row.append(daysSinceEpoch: days)
        case .money(let value): row.append(milliunits: value)
        case .rate(let value): row.append(nanounits: value)
        case .json(let text): row.append(json: Array(text.utf8))
        case .hex(let bytes): row.append(hex: bytes)
        }
    }
}

/// A table with its rows, in memory.
struct SampleTable {
    let schema: TableSchema
    var rows: [[SampleValue]] = []

    /// Returns the rows as the scripts in `Peers/` read them.
    var expectation: [UInt8] {
        var output: [UInt8] = []
        let columns = schema.columns.map { column in
            JSONValue.array([.string(column.name), .string("\(column.type)"), .bool(column.isNullable)])
        }
        JSONValue.array(columns).write(to: &output, canonical: false)
        for row in rows {
            output.append(UInt8(ascii: "\n"))
            JSONValue.array(row.map { JSONValue($0.expected) }).write(to: &output, canonical: false)
        }
        return output
    }

    /// Returns the files of the table.
    /// - Parameter taking: whether the output is taken after a row.
    func files(_ format: TableFileFormat, taking: (Int) -> Bool = { _ in false }) -> [[UInt8]] {
        var files: [[UInt8]] = []
        var (writer, file) = (format.writer(for: schema), [UInt8]())
        func finish() {
            writer.finish()
            files.append(file + writer.output)
        }
        var buffer = TableRow(schema)
        for (index, row) in rows.enumerated() {
            if writer.isFull {
                finish()
                (writer, file) = (format.writer(for: schema), [])
            }
            buffer.removeAll()
            for value in row { value.append(to: &buffer) }
            writer.append(buffer)
            if taking(index) {
                file += writer.output
                writer.output.removeAll(keepingCapacity: true)
            }
        }
        finish()
        return files
    }

    /// Compares the files with the rows, by the programs of others.
    /// - Returns: the row groups of Parquet files.
    @discardableResult
    func compare(_ format: TableFileFormat) throws -> [String] {
        let folder = try TemporaryFolder()
        try folder.write(expectation, to: "expected.jsonl")
        let names = try files(format).enumerated().map { index, file in
            let name = "part-\(index).\(format.fileExtension)"
            try folder.write(file, to: name)
            return name
        }
        return try Python.run("compare.py", ["expected.jsonl"] + names, in: folder)
    }
}

// MARK: Generated rows

extension SampleTable {
    /// Creates a table that has each type, required and nullable, with values at the limits of the types.
    init(rows count: Int, seed: UInt64) {
        let types = ColumnType.allCases
        schema = TableSchema(
            name: "sample", version: 1, keyCount: 2,
            columns: [TableColumn("environment", .text), TableColumn("position", .int64)]
                + types.map { TableColumn("required_\($0)", $0) }
                + types.map { TableColumn("optional_\($0)", $0, isNullable: true) })
        var random = SeededRandom(seed: seed)
        // Columns in which most values are null, few, or none.
        let nullPercents = types.map { _ in random.pick([0, 5, 50, 95, 100]) }
        for index in 0..<count {
            let required = types.map { Self.value($0, &random) }
            let optional = zip(types, nullPercents).map {
                random.chance($1) ? .null : Self.value($0, &random)
            }
            rows.append([.text("Production"), .integer(Int64(index) - 3)] + required + optional)
        }
    }

    private static func value(_ type: ColumnType, _ random: inout SeededRandom) -> SampleValue {
        switch type {
        case .text: text(&random)
        case .int64: .integer(random.pick([.min, .max, 0, -1, 1, number(.min ... .max, &random)]))
        case .int32: .integer(random.pick([-2_147_483_648, 2_147_483_647, 0, number(-100...100, &random)]))
        case .boolean: .boolean(random.chance(50))
        case .instant: .instant(Instant(milliseconds: random.pick([instants.upperBound, number(instants, &random)])))
        case .date: .date(random.pick([2_932_896, 0, -1, number(-719_162...2_932_896, &random)]))
        case .money:
            .money(random.pick([decimals.lowerBound, decimals.upperBound, 0, -1, number(-9_999...9_999, &random)]))
        case .rate: .rate(random.pick([decimals.upperBound, 1, number(decimals, &random)]))
        case .json: .json(random.pick([#"{"a":[1,null,"\"é\n"]}"#, "[]", #""text""#, "17", "true", #"{"b":"🎩"}"#]))
        case .hex: .hex(random.bytes(random.pick([1, 16, 32])))
        }
    }

    private static func number(_ range: ClosedRange<Int64>, _ random: inout SeededRandom) -> Int64 {
        Int64.random(in: range, using: &random)
    }

    /// Python knows no year 0.
    private static let instants: ClosedRange<Int64> = -62_135_596_800_000...Instant.latest.milliseconds
    private static let decimals: ClosedRange<Int64> = -999_999_999_999_999_999...999_999_999_999_999_999

    private static func text(_ random: inout SeededRandom) -> SampleValue {
        let long = String(repeating: "long ", count: Int.random(in: 20..<200, using: &random))
        return random.pick([
            .text("plain"), .text("\""), .text("a \"quoted\" text"), .text("a,b"), .text("two\nlines"),
            .text("two\r\nlines"), .text("\r"), .text("🎩 emoji 👨‍👩‍👧"), .text("=1+1"), .text("+1"), .text(" "),
            .text("\\N"),
            .text("\\."), .text("NULL"), .text("null"), .text("caf\u{E9}"), .text("cafe\u{301}"), .text("\u{2028}"),
            .text("\u{1}\u{7F}\t"), .text("\u{10FFFF}"), .text("\u{FEFF}mark"), .text(long),
            .text(Hex.encode(random.bytes(8))),
            .text("nul\0l", expected: "nul\u{FFFD}l"),
        ])
    }
}
