import LedgerTesting
import Primitives
import TableFiles
import Testing

@Suite struct `The digest of a row` {
    private let schema = TableSchema(
        name: "digests", version: 1, keyCount: 1,
        columns: [
            TableColumn("environment", .text), TableColumn("id", .text, isNullable: true),
            TableColumn("amount", .money),
            TableColumn("note", .text, isNullable: true), TableColumn("at", .instant), TableColumn("flag", .boolean),
        ])

    // Computed with hashlib in Python.
    private static let digests: [(digest: Int64, values: [SampleValue])] = [
        (7_744_064_225_617_619_591, [.text("Production")]),
        (
            -2_128_400_035_965_508_407,
            [
                .text("Production"), .text("2000000123456789"), .money(9_990), .null,
                .instant(Instant(milliseconds: 1_769_817_600_000)), .boolean(true),
            ]
        ),
        (
            3_757_854_911_559_450_370,
            [
                .text("Sandbox"), .text("1"), .money(-1), .text("🎩 \"x\",\n=1"), .instant(Instant(milliseconds: 0)),
                .boolean(false),
            ]
        ),
        (
            2_103_114_650_373_287_971,
            [.text("\0"), .text("9223372036854775807"), .null, .null, .instant(.latest), .boolean(false)]
        ),
    ]

    @Test func `is that of the texts of its cells`() {
        var row = TableRow(schema)
        for (digest, values) in Self.digests {
            row.removeAll()
            for value in values { value.append(to: &row) }
            #expect(row.rowDigest == digest)
        }
    }

    @Test func `has the text of each type`() {
        let schema = TableSchema(
            name: "types", version: 1, keyCount: 1,
            columns: ColumnType.allCases.map { TableColumn("\($0)", $0) })
        var row = TableRow(schema)
        row.append(text: "a")
        row.append(integer: .min)
        row.append(integer: -2_147_483_648)
        row.append(boolean: true)
        row.append(instant: .earliest)
        row.append(daysSinceEpoch: 20_512)
        row.append(milliunits: 999_999_999_999_999_999)
        row.append(nanounits: -1_000_000_001)
        row.append(json: Array(#"{"a":1}"#.utf8))
        row.append(hex: [0, 255])
        #expect(row.isComplete && row.lossy == 0)
        #expect(row.rowDigest == 4_721_385_152_281_383_778)
    }
}

@Suite struct `A value that no file can hold` {
    private func table(_ columns: [TableColumn], _ append: (inout TableRow) -> Void) -> (csv: String, lossy: Int) {
        let schema = TableSchema(
            name: "lossy", version: 1, keyCount: 1, columns: [TableColumn("key", .int32)] + columns)
        var (row, writer) = (TableRow(schema), CSVWriter(schema))
        row.append(integer: 1)
        append(&row)
        writer.append(row)
        let line = String(decoding: writer.output, as: UTF8.self).split(separator: "\r\n").last.map(String.init)
        return (line ?? "", row.lossy)
    }

    private func text(_ bytes: [UInt8]) -> (csv: String, lossy: Int) {
        table([TableColumn("value", .text)]) { row in bytes.withUnsafeBufferPointer { row.append(utf8: $0) } }
    }

    @Test func `is replaced in texts`() {
        #expect(text(Array("caf\u{E9} 🎩".utf8)) == ("1,caf\u{E9} 🎩", 0))
        #expect(text([0x61, 0, 0, 0x62]) == ("1,a\u{FFFD}\u{FFFD}b", 1))
        // CESU-8 of a lone surrogate, of a pair, and bytes that are nothing.
        #expect(text([0xED, 0xA0, 0x80, 0x61]) == ("1,\u{FFFD}a", 1))
        #expect(text([0x61, 0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]) == ("1,a\u{FFFD}\u{FFFD}", 1))
        #expect(text([0x61, 0xFF, 0x62]) == ("1,a\u{FFFD}b", 1))
        #expect(text([0x61, 0xED]) == ("1,a\u{FFFD}", 1))
    }

    @Test(arguments: [
        (#"{"a":"\u0000"}"#, "{\"a\":\"\u{FFFD}\"}", 1), (#""\ud800\uDFFF""#, "\"\u{FFFD}\u{FFFD}\"", 1),
        (#""\\u0000""#, #""\\u0000""#, 0), (#""\\\u0000""#, "\"\\\\\u{FFFD}\"", 1), (#""\u001f\"""#, #""\u001f\"""#, 0),
        (#""\ue000""#, #""\ue000""#, 0),
    ])
    func `is replaced in JSON`(text: String, expected: String, lossy: Int) {
        let schema = TableSchema(
            name: "json", version: 1, keyCount: 1, columns: [TableColumn("key", .int32), TableColumn("value", .json)])
        var (row, writer) = (TableRow(schema), JSONLinesWriter(schema))
        row.append(integer: 1)
        row.append(json: Array(text.utf8))
        writer.append(row)
        #expect(String(decoding: writer.output, as: UTF8.self) == "{\"key\":1,\"value\":\(expected)}\n")
        #expect(row.lossy == lossy)
    }

    @Test func `is a digest if it is a long identifier`() {
        let (longest, longer) = (String(repeating: "i", count: 512), String(repeating: "i", count: 513))
        let digest = "sha256:" + Digest.sha256(of: longer.utf8).hex
        let identifier = [TableColumn("id", .text, isIdentifier: true)]
        #expect(table(identifier) { $0.append(text: longest) } == ("1,\(longest)", 0))
        #expect(table(identifier) { $0.append(text: longer) } == ("1,\(digest)", 1))
        #expect(table([TableColumn("text", .text)]) { $0.append(text: longer) } == ("1,\(longer)", 0))
        let key = TableSchema(name: "key", version: 1, keyCount: 1, columns: [TableColumn("id", .text)])
        var row = TableRow(key)
        row.append(text: longer)
        #expect(row.lossy == 1)
        row.removeAll()
        #expect(row.lossy == 0)
    }

    @Test func `is null if it is a number`() {
        let limit: Int64 = 1_000_000_000_000_000_000
        let money = [TableColumn("amount", .money)]
        #expect(table(money) { $0.append(milliunits: limit - 1) } == ("1,999999999999999.999", 0))
        #expect(table(money) { $0.append(milliunits: 1 - limit) } == ("1,-999999999999999.999", 0))
        for amount in [limit, -limit, .max, .min] {
            #expect(table(money) { $0.append(milliunits: amount) } == ("1,", 1))
            #expect(table([TableColumn("rate", .rate)]) { $0.append(nanounits: amount) } == ("1,", 1))
            #expect(table([TableColumn("n", .int32, isNullable: true)]) { $0.append(integer: amount) } == ("1,", 1))
        }
    }

    @Test func `is the nearest year if it is a time`() {
        let (instant, date) = ([TableColumn("at", .instant)], [TableColumn("day", .date)])
        #expect(table(instant) { $0.append(instant: Instant(milliseconds: .max)) } == ("1,\(Instant.latest)", 1))
        #expect(table(instant) { $0.append(instant: Instant(milliseconds: .min)) } == ("1,\(Instant.earliest)", 1))
        #expect(table(date) { $0.append(daysSinceEpoch: .max) } == ("1,9999-12-31", 1))
        #expect(table(date) { $0.append(daysSinceEpoch: .min) } == ("1,0000-01-01", 1))
        #expect(table(date) { $0.append(daysSinceEpoch: -719_528) } == ("1,0000-01-01", 0))
    }

    @Test func `is null if it is an empty text`() {
        for type in [ColumnType.text, .hex, .json] {
            let found = table([TableColumn("value", type, isNullable: true)]) { row in
                switch type {
                case .hex: row.append(hex: [])
                case .json: row.append(json: nil)
                default: row.append(text: "")
                }
            }
            #expect(found == ("1,", 0))
        }
    }
}

@Suite struct `A row with a mistake` {
    private static let schema = TableSchema(
        name: "mistakes", version: 1, keyCount: 1, columns: [TableColumn("key", .text), TableColumn("value", .int64)])

    @Test func `is not accepted`() async {
        await #expect(processExitsWith: .failure) {
            var row = TableRow(`A row with a mistake`.schema)
            row.append(integer: 1)
        }
        await #expect(processExitsWith: .failure) {
            var row = TableRow(`A row with a mistake`.schema)
            row.append(text: nil)
        }
        await #expect(processExitsWith: .failure) {
            var row = TableRow(`A row with a mistake`.schema)
            row.append(text: "")
        }
        await #expect(processExitsWith: .failure) {
            var (row, writer) = (TableRow(`A row with a mistake`.schema), CSVWriter(`A row with a mistake`.schema))
            row.append(text: "key")
            writer.append(row)
        }
        await #expect(processExitsWith: .failure) {
            var row = TableRow(`A row with a mistake`.schema)
            row.append(text: "key")
            row.append(integer: 1)
            row.append(integer: 2)
        }
    }
}

@Suite struct `A stored row` {
    @Test func `has the same cells`() {
        let table = SampleTable(rows: 300, seed: SeededRandom.seed)
        print("Stored rows, seed \(SeededRandom.seed)")
        var (row, copy) = (TableRow(table.schema), TableRow(table.schema))
        for values in table.rows {
            row.removeAll()
            for value in values { value.append(to: &row) }
            var (stored, again, writers) = ([UInt8](), [UInt8](), (CSVWriter(table.schema), CSVWriter(table.schema)))
            row.encode(into: &stored)
            stored.withUnsafeBytes { copy.decode($0) }
            copy.encode(into: &again)
            writers.0.append(row)
            writers.1.append(copy)
            #expect(stored == again && row.rowDigest == copy.rowDigest && writers.0.output == writers.1.output)
        }
    }

    @Test func `may have a part of the cells`() {
        let table = SampleTable(rows: 1, seed: SeededRandom.seed)
        var (row, stored) = (TableRow(table.schema), [UInt8]())
        row.append(text: "Production")
        row.append(integer: -1)
        row.encode(into: &stored)
        #expect(stored == [10] + Array("Production".utf8) + [2, 1])
        let digest = row.rowDigest
        stored.withUnsafeBytes { row.decode($0) }
        #expect(row.rowDigest == digest && !row.isComplete)
        row.append(text: "next")
    }
}

@Suite struct `Keys of rows` {
    private let schema = TableSchema(
        name: "keys", version: 1, keyCount: 4,
        columns: [
            TableColumn("a", .text), TableColumn("b", .int64), TableColumn("c", .instant), TableColumn("d", .text),
        ])

    @Test func `are ordered by bytes and numbers`() {
        var random = SeededRandom()
        print("Keys, seed \(SeededRandom.seed)")
        let texts = ["a", "aa", "a\u{1}", "b", "\u{FFFD}", "🎩", "Z", "é", "z"]
        let numbers: [Int64] = [.min, -1, 0, 1, 255, 256, .max]
        let instants: [Int64] = [-86_400_000, -1, 0, 1, 1_700_000_000_000]
        func value(_ random: inout SeededRandom) -> (String, Int64, Int64, String) {
            (random.pick(texts), random.pick(numbers), random.pick(instants), random.pick(texts))
        }
        func row(_ value: (String, Int64, Int64, String)) -> (TableRow, [UInt8]) {
            var (row, key) = (TableRow(schema), [UInt8]())
            row.append(text: value.0)
            row.append(integer: value.1)
            row.append(instant: Instant(milliseconds: value.2))
            row.append(text: value.3)
            row.encodeKey(into: &key)
            return (row, key)
        }
        for _ in 0..<3_000 {
            var (left, right) = (value(&random), value(&random))
            if random.chance(50) { right.0 = left.0 }
            if random.chance(30) { right.1 = left.1 }
            if random.chance(20) { left.2 = right.2 }
            let expected = precedes(left, right)
            let ((leftRow, leftKey), (rightRow, rightKey)) = (row(left), row(right))
            #expect(leftRow.isOrdered(before: rightRow) == expected)
            #expect(leftKey.lexicographicallyPrecedes(rightKey) == expected)
        }
    }

    private func precedes(_ left: (String, Int64, Int64, String), _ right: (String, Int64, Int64, String)) -> Bool {
        if left.0 != right.0 { return left.0.utf8.lexicographicallyPrecedes(right.0.utf8) }
        if left.1 != right.1 { return left.1 < right.1 }
        if left.2 != right.2 { return left.2 < right.2 }
        return left.3.utf8.lexicographicallyPrecedes(right.3.utf8)
    }
}
