import EventLog
import LMDB
import LMDBFileFormat
import LedgerAPI
import LedgerTesting
import Testing

@Suite("A damaged file", .serialized)
struct DamagedPageTests {
    private static let pageBytes = 4_096

    enum Damage: CaseIterable {
        case zeroed, random, swapped, truncated, metaPages

        func applied(to bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
            var bytes = bytes
            let pages = 0..<bytes.count / pageBytes
            let page = Int.random(in: pages, using: &random)
            switch self {
            case .zeroed: bytes.replacePage(page, with: [UInt8](repeating: 0, count: pageBytes))
            case .random: bytes.replacePage(page, with: Self.noise(&random))
            case .swapped:
                let other = Int.random(in: pages, using: &random)
                let content = bytes.page(page)
                bytes.replacePage(page, with: bytes.page(other))
                bytes.replacePage(other, with: content)
            case .truncated: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            case .metaPages:
                for meta in [[0], [1], [0, 1]].randomElement(using: &random) ?? [] {
                    bytes.replacePage(
                        meta, with: random.chance(50) ? Self.noise(&random) : [UInt8](repeating: 0, count: pageBytes))
                }
            }
            return bytes
        }

        static func noise(_ random: inout SeededRandom) -> [UInt8] {
            (0..<pageBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
    }

    /// Replaces everything but the header of each database's last page with noise; liblmdb trusts such pages most.
    @Test func `is refused by a writer when the damage is where it goes on`() async throws {
        try await blocking {
            let sample = try SampleLog(seed: TestEnvironment.seed)
            let copy = try sample.copy()
            var random = SeededRandom(seed: TestEnvironment.seed)
            var ends: [String: Int] = [:]
            _ = PageWalk.run(over: sample.bytes.span.bytes, flags: SampleLog.flags) { _, database, page in
                ends[database] = Int(page)
            }
            try #require(ends.count == 5, "records, evidence, headers, meta and tree1 have entries")
            for (database, page) in ends.sorted(by: { $0.key < $1.key }) {
                for round in 0..<5 {
                    var bytes = sample.bytes
                    bytes.replacePage(page, with: Array(bytes.page(page)[..<16] + Damage.noise(&random)[16...]))
                    try copy.replace(by: bytes)
                    let writer = try copy.append(seed: UInt64(round))
                    #expect(writer.ending == .exited(1), "\(database): \(writer.errors)")
                    #expect(writer.errors.contains("log_corrupt"), "\(database): \(writer.errors)")
                    let audit = try copy.audit()
                    #expect(audit.isRefused, "\(database): \(audit)")
                }
            }
        }
    }

    @Test(arguments: Damage.allCases)
    func `is told from a sound one, and crashes neither the audit nor a writer`(damage: Damage) async throws {
        try await blocking {
            let sample = try SampleLog(seed: TestEnvironment.seed)
            let copy = try sample.copy()
            var random = SeededRandom(seed: TestEnvironment.seed)
            var (found, harmless, refused, opened) = (0, 0, 0, 0)
            for round in 0..<(TestEnvironment.isLong ? 400 : 25) {
                let bytes = damage.applied(to: sample.bytes, &random)
                let concernsLive = sample.differsWhereLive(from: bytes)
                try copy.replace(by: bytes)
                let audit = try copy.audit()
                #expect(
                    concernsLive ? audit.isRefused : audit.isSound,
                    "SUBLEDGER_SEED=\(TestEnvironment.seed), \(damage) \(round): \(audit)")
                if audit.isRefused { found += 1 } else { harmless += 1 }
                let writer = try copy.append(seed: UInt64(round))
                switch writer.ending {
                case .exited(0): opened += 1
                case .exited where writer.errors.contains("log_corrupt"): refused += 1
                default: Issue.record("\(damage) \(round): a writer ended with \(writer.ending): \(writer.errors)")
                }
            }
            print(
                "damage (\(damage)): \(found) found, \(harmless) harmless; writers: \(refused) refused, \(opened) went on"
            )
        }
    }
}

extension SampleLog {
    fileprivate func differsWhereLive(from bytes: [UInt8]) -> Bool {
        self.bytes.indices.contains { offset in
            (offset >= bytes.count || self.bytes[offset] != bytes[offset]) && isLive(offset)
        }
    }
}

extension [UInt8] {
    fileprivate func page(_ number: Int) -> [UInt8] { Array(self[number * 4_096..<(number + 1) * 4_096]) }

    fileprivate mutating func replacePage(_ number: Int, with content: [UInt8]) {
        replaceSubrange(number * 4_096..<(number + 1) * 4_096, with: content)
    }
}
