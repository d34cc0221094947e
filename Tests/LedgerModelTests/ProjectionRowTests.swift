import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import Testing

@Suite struct ProjectionRowTests {
    private struct Row {
        var text: String?
        var number: Int64?
        var instant: Instant?
        var flag: Bool?
        var texts: [String]
        var positions: [Position]
        var hasObject: Bool
    }

    private static let columns: [Column<Row>] = [
        .text("text") { $0.text }, .integer("number") { $0.number }, .instant("instant") { $0.instant },
        .flag("flag") { $0.flag }, .texts("texts") { $0.texts }, .positions("positions") { $0.positions },
        .object("object") { $0.hasObject },
    ]

    private static let key = SubscriptionKey(
        environment: .production, bundleId: "com.example.app", originalTransactionId: "1")

    @Test func `the values of rows come back`() throws {
        let rows = [
            Row(
                text: "é\u{0}🙂", number: -1, instant: Instant(milliseconds: .min), flag: false, texts: ["", "a b"],
                positions: [0, .max], hasObject: true),
            Row(text: nil, number: nil, instant: nil, flag: nil, texts: [], positions: [], hasObject: false),
            Row(text: "", number: .max, instant: .earliest, flag: true, texts: [], positions: [], hasObject: false),
        ]
        var bytes: [UInt8] = [0xAA]
        ProjectionEntry(key: Self.key, rows: rows, validUntil: Instant(milliseconds: 7)).append(
            to: &bytes, columns: Self.columns)
        #expect(bytes.first == 0xAA)

        let entry = try #require(StoredEntry(bytes.dropFirst()))
        #expect(entry.validUntil == Instant(milliseconds: 7) && entry.rowCount == 3)
        let values = try #require(entry.values(Self.columns.map(\.schema)))
        #expect(
            values == [
                [
                    .text("é\u{0}🙂"), .integer(-1), .instant(Instant(milliseconds: .min)), .flag(false),
                    .texts(["", "a b"]), .positions([0, .max]), .object,
                ],
                [nil, nil, nil, nil, .texts([]), .positions([]), nil],
                [.text(""), .integer(.max), .instant(.earliest), .flag(true), .texts([]), .positions([]), nil],
            ])
    }

    @Test func `a truncated entry has no values`() throws {
        let row = Row(
            text: "text", number: 1, instant: .earliest, flag: true, texts: ["a"], positions: [1], hasObject: true)
        var bytes: [UInt8] = []
        ProjectionEntry(key: Self.key, rows: [row], validUntil: nil).append(to: &bytes, columns: Self.columns)
        #expect(StoredEntry(bytes[...])?.validUntil == nil)
        for count in 0..<bytes.count {
            #expect(StoredEntry(bytes.prefix(count))?.values(Self.columns.map(\.schema)) == nil, "\(count) bytes")
        }
        #expect(StoredEntry((bytes + [0])[...])?.values(Self.columns.map(\.schema)) == nil)
    }

    @Test func `the ordered form of keys has the order of keys`() {
        let parts = ["", "a", "a\u{0}", "a\u{0}b", "b", "é", "1", "10", "9", "\u{0}", "\u{0}\u{0}"]
        let keys = parts.flatMap { bundleId in
            parts.flatMap { id in
                ["Production", "Sandbox", "Prod\u{0}"].map {
                    SubscriptionKey(
                        environment: Environment(rawValue: $0), bundleId: bundleId, originalTransactionId: id)
                }
            }
        }
        let ordered = keys.map { key -> [UInt8] in
            var bytes: [UInt8] = []
            key.appendOrdered(to: &bytes)
            return bytes
        }
        for (key, bytes) in zip(keys, ordered) { #expect(SubscriptionKey(ordered: bytes[...]) == key) }
        let sorted = zip(keys, ordered).sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
        #expect(sorted == keys.sorted())
        #expect(SubscriptionKey(ordered: [65]) == nil)
    }
}
