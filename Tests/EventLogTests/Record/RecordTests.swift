import EventLog
import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite struct `Record format 1` {
    @Test(arguments: GoldenRecord.all)
    func `has the bytes and the leaf hash of the table`(golden: GoldenRecord) throws {
        #expect(Hex.encode(golden.record.bytes) == golden.hex)
        #expect(golden.record.byteCount == golden.hex.utf8.count / 2)
        #expect(MerkleTree.leafHash(of: golden.record.bytes).hex == golden.leafHash)
    }

    @Test(arguments: GoldenRecord.all)
    func `is read back as it was written`(golden: GoldenRecord) throws {
        let bytes = try #require(Hex.decode(golden.hex))
        #expect(try Record(of: bytes) == golden.record)
    }

    /// A field of the byte table, and a change to that field of the sample record.
    struct Field: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let range: Range<Int>
        let change: @Sendable (inout Record) -> Void

        init(_ name: String, _ offset: Int, _ size: Int, _ change: @escaping @Sendable (inout Record) -> Void) {
            testDescription = name
            range = offset..<offset + size
            self.change = change
        }
    }

    static let fields = [
        Field("kind", 1, 1) { $0.kind = EventKind(rawValue: 0xA5) },
        Field("source", 2, 1) { $0.source = .import },
        Field("environment", 3, 1) { $0.environment = .localTesting },
        Field("artifact", 4, 1) { $0.artifact = ArtifactCode(rawValue: 0xA5) },
        Field("trust", 5, 1) { $0.trust = .own },
        Field("flags", 6, 2) { $0.flags = RecordFlags(rawValue: 0xA5A5) },
        Field("position", 8, 8) { $0.position = 0xA5A5_A5A5_A5A5_A5A5 },
        Field("recordedAt", 16, 8) { $0.recordedAt = Instant(milliseconds: 0x25A5_A5A5_A5A5_A5A5) },
        Field("identity", 24, 16) { $0.idempotencyKey = IdempotencyKey(0xA5A5_A5A5_A5A5_A5A5_A5A5_A5A5_A5A5_A5A5) },
        Field("evidence SHA-256", 40, 32) { $0.evidenceDigest = other },
        Field("evidence length", 72, 4) { $0.evidenceLength = 0xA5A5_A5A5 },
        Field("verified at", 80, 8) { $0.verifiedAt = Instant(milliseconds: 0x25A5_A5A5_A5A5_A5A5) },
        Field("leaf certificate", 88, 32) { $0.leafCertificate = other },
        Field("root certificate", 120, 32) { $0.rootCertificate = other },
        Field("body", 152, 2) { $0.body = Array("[]".utf8) },
    ]

    private static let other = Digest.sha256(of: [0xA5])

    @Test(arguments: fields)
    func `has every field at its place`(field: Field) {
        let sample = GoldenRecord.all[0].record
        var record = sample
        field.change(&record)
        let (before, after) = (sample.bytes, record.bytes)
        let changed = before.indices.filter { before[$0] != after[$0] }
        #expect(!changed.isEmpty && changed.allSatisfy(field.range.contains))
        #expect(after.count == before.count)
    }

    @Test func `tells the body's length at 76`() {
        var record = GoldenRecord.all[0].record
        record.body = [UInt8](repeating: 0x20, count: 0x0102)
        #expect(Array(record.bytes[76..<80]) == [2, 1, 0, 0])
        #expect(record.byteCount == 152 + 0x0102)
    }

    @Test(arguments: GoldenRecord.all)
    func `is refused when cut or longer than it says`(golden: GoldenRecord) {
        let bytes = golden.record.bytes
        for count in bytes.indices {
            #expect(throws: RecordError.self) { try Record(of: bytes[..<count]) }
        }
        #expect(throws: RecordError.self) { try Record(of: bytes + [0]) }
    }

    @Test(
        arguments: [
            (0, [0, 2, 3, 255]), (2, [0, 7, 255]), (3, [5, 255]), (5, [0, 6, 255]), (76, [1, 3]), (77, [1]),
            (79, [255]),
        ] as [(Int, [UInt8])])
    func `is refused with a value that no version 1 has`(offset: Int, values: [UInt8]) {
        for value in values {
            var bytes = GoldenRecord.all[0].record.bytes
            bytes[offset] = value
            #expect(throws: RecordError.self) { try Record(of: bytes) }
        }
    }

    @Test func `has at most 4 KiB`() throws {
        var record = GoldenRecord.all[0].record
        record.body = [UInt8](repeating: 0x20, count: 4_096 - 152)
        #expect(try Record(of: record.bytes) == record)
        record.body.append(0x20)
        let error = #expect(throws: RecordError.self) { try Record(of: record.bytes) }
        #expect(error?.what.contains("4097") == true)
    }

    @Test func `reads any bytes or refuses them, and gives back what it read`() {
        var generator = SeededRandom()
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = GoldenRecord.all.randomElement(using: &generator)?.record.bytes ?? []
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let record = try? Record(reading: bytes.span.bytes) else { continue }
            accepted += 1
            #expect(record.bytes == bytes, "seed \(SeededRandom.seed)")
        }
        #expect(accepted > 10_000)
    }
}

extension Record {
    fileprivate init(of bytes: some Sequence<UInt8>) throws(RecordError) {
        let bytes = Array(bytes)
        try self.init(reading: bytes.span.bytes)
    }
}
