import LMDB
import LMDBFileFormat
import LedgerAPI
import LedgerTesting
import Testing

@Suite("A flipped byte", .serialized)
struct FlippedByteTests {
    private static let positions = 500
    /// The number of additional positions per class of bytes, so that rare classes are covered.
    private static let positionsOfClass = TestEnvironment.isLong ? 100 : 3

    @Test func `that is live is found and named; one that is dead does no harm`() async throws {
        let seed = TestEnvironment.seed
        let sample = try await blocking { try SampleLog(seed: seed) }
        var random = SeededRandom(seed: seed)
        let anywhere = (0..<Self.positions).map { _ in Int.random(in: sample.bytes.indices, using: &random) }
        let ofEachClass = Self.offsets(of: sample, &random)
        let flips = (anywhere + ofEachClass).map { ($0, UInt8.random(in: 1...255, using: &random)) }
        try await withThrowingTaskGroup(of: [Flip].self) { group in
            for worker in 0..<2 {
                group.addTask {
                    try await blocking {
                        let copy = try sample.copy()
                        return try stride(from: worker, to: flips.count, by: 2).map { index in
                            let (offset, difference) = flips[index]
                            return Flip(
                                offset: offset, kind: sample.classify(offset), isAnywhere: index < Self.positions,
                                audit: try copy.changing(offset, by: difference) { try copy.audit() })
                        }
                    }
                }
            }
            let flipped = try await group.reduce(into: []) { $0 += $1 }
            for flip in flipped {
                #expect(flip.isAsItShouldBe, "SUBLEDGER_SEED=\(seed), \(flip)")
            }
            Self.report(flipped)
        }
    }

    /// All offsets of live keys, values and lengths in `meta`, and a few of every other class.
    private static func offsets(of sample: SampleLog, _ random: inout SeededRandom) -> [Int] {
        var offsets: [ByteClass: [Int]] = [:]
        for offset in sample.bytes.indices { offsets[sample.classify(offset), default: []].append(offset) }
        return offsets.sorted { "\($0.key)" < "\($1.key)" }.flatMap { kind, offsets in
            switch kind {
            case .live(.key, "meta"), .live(.value, "meta"), .live(.length, "meta"): offsets
            default: Array(offsets.shuffled(using: &random).prefix(positionsOfClass))
            }
        }
    }

    private static func report(_ flips: [Flip]) {
        for (title, flips) in [
            ("anywhere", flips.filter(\.isAnywhere)), ("of every class", flips.filter { !$0.isAnywhere }),
        ] {
            let live = flips.filter(\.isLive)
            let varying = flips.filter { $0.kind == .dead(.mayVary) }
            print(
                "flipped bytes \(title): \(flips.count), \(live.count) live,",
                "\(live.count { $0.audit.isRefused }) of them found;",
                "\(flips.count - live.count - varying.count) dead;",
                "\(varying.count) that may vary, \(varying.count { $0.audit.isRefused }) of them found")
        }
    }
}

private struct Flip: CustomStringConvertible, Sendable {
    let offset: Int
    let kind: ByteClass
    /// Whether the offset was drawn from the whole file; otherwise it was chosen for its class.
    let isAnywhere: Bool
    let audit: Subledger.DeepAudit

    var isLive: Bool {
        if case .live = kind { true } else { false }
    }

    var isAsItShouldBe: Bool {
        switch kind {
        case .live: audit.isRefused
        case .dead(.mayVary): audit.isRefused || audit.isSound
        case .dead(.unaccounted): false
        case .dead: audit.isSound
        }
    }

    var description: String { "byte \(offset), \(kind): \(audit)" }
}
