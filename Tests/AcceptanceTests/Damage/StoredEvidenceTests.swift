import EventLog
import LMDB
import LMDBFileFormat
import LedgerStorage
import LedgerTesting
import Primitives
import Testing

@Suite("Stored evidence", .serialized)
struct StoredEvidenceTests {
    @Test func `does not come back when any bit of it has changed`() async throws {
        try await blocking {
            let sample = try SampleLog(seed: TestEnvironment.seed)
            let copy = try sample.copy()
            let log = try LogReader(LogConfiguration(directory: copy.folder.log))
            var (bits, positions) = (0, 0)
            for position in try Self.notifications(in: log).prefix(TestEnvironment.isLong ? 200 : 5) {
                let place = try #require(Self.place(ofEvidence: position, in: sample))
                for offset in place {
                    for bit in 0..<8 {
                        let evidence = try? copy.changing(offset, by: 1 << bit) { try log.evidence(at: position) }
                        #expect(evidence == nil, "position \(position), byte \(offset - place.lowerBound), bit \(bit)")
                        bits += 1
                    }
                }
                #expect(try log.evidence(at: position) != nil)
                positions += 1
            }
            print("stored evidence: \(bits) bits of \(positions) notifications flipped")
        }
    }

    private static func notifications(in log: LogReader) throws -> [UInt64] {
        try (0..<log.size()).filter { try log.record(at: $0)?.artifact == .notificationV2 }
    }

    /// The range of the file that contains the packed evidence of an event.
    private static func place(ofEvidence position: UInt64, in sample: SampleLog) -> Range<Int>? {
        var packed: [UInt8] = []
        _ = PageWalk.run(over: sample.bytes.span.bytes, flags: SampleLog.flags) { entry, database, _ in
            guard database == "evidence", entry.integerKey == position else { return }
            packed = entry.value.withUnsafeBytes { Array($0) }
        }
        return sample.bytes.firstRange(of: packed).map { $0.lowerBound..<$0.upperBound }
    }
}
