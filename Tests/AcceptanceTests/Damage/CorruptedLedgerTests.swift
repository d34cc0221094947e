import EventLog
import FactStore
import Glibc
import LMDB
import LMDBFileFormat
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Primitives
import Testing
import TransparencyLog

@Suite("A corrupted ledger", .serialized)
struct CorruptedLedgerTests {
    private static let rounds = TestEnvironment.isLong ? 1_000 : 100

    /// Each corruption is drawn from a seed of its own: the run with that seed begins with it.
    @Test func `is found by a deep audit or against a kept checkpoint, unless nothing depends on the bytes`()
        async throws
    {
        let ledger = try await CorruptibleLedger()
        let outcomes = try await withThrowingTaskGroup(of: [Outcome].self) { group in
            for worker in 0..<2 {
                group.addTask {
                    try await blocking {
                        let copy = try CorruptedCopy(of: ledger)
                        return try stride(from: worker, to: Self.rounds, by: 2).map { round in
                            try copy.outcome(seed: TestEnvironment.seed &+ UInt64(round))
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        for outcome in outcomes {
            #expect(outcome.isAsItShouldBe, "SUBLEDGER_SEED=\(outcome.seed): \(outcome)")
        }
        Self.report(outcomes)
    }

    private static func report(_ outcomes: [Outcome]) {
        for (kind, outcomes) in Dictionary(grouping: outcomes, by: \.kind).sorted(by: { $0.key < $1.key }) {
            let counts = Dictionary(grouping: outcomes, by: \.verdict).mapValues(\.count).sorted { $0.key < $1.key }
            print("corruptions, \(kind): " + counts.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
        }
    }
}

/// A corruption with what the audits say of it.
private struct Outcome: Sendable, CustomStringConvertible {
    enum Expectation: String {
        /// Something depends on the bytes.
        case found
        /// Nothing depends on the bytes.
        case sound
        /// Only neighbours constrain the bytes, or no other record states them.
        case either
        /// The tree is sound. Only who has an earlier checkpoint can know that it was another.
        case refusedByCheckpoint
    }

    let seed: UInt64
    let kind: String
    let description: String
    let expectation: Expectation
    let audit: Subledger.DeepAudit
    /// Whether the log continues the kept checkpoint; nil where this was not asked.
    let continuesCheckpoint: Bool?

    var isAsItShouldBe: Bool {
        switch expectation {
        case .found: audit.isRefused || audit.isIncomplete
        case .sound: audit.isSound
        case .either: audit.isRefused || audit.isSound
        case .refusedByCheckpoint: audit.isSound && continuesCheckpoint == false
        }
    }

    var verdict: String {
        if continuesCheckpoint == false { return "found against the kept checkpoint" }
        if audit.isRefused { return "found" }
        return expectation == .sound ? "in dead space" : audit.isIncomplete ? "named as not compared" : "harmless"
    }
}

/// A copy of a ledger, corrupted in one way after the other.
private final class CorruptedCopy {
    private let original: CorruptibleLedger
    private let temporary: TemporaryFolder
    private let folder: DataFolder

    init(of original: CorruptibleLedger) throws {
        self.original = original
        temporary = try TemporaryFolder()
        folder = DataFolder(path: temporary.path + "/data")
        try CorruptibleLedger.write(original.files, to: folder.path)
    }

    func outcome(seed: UInt64) throws -> Outcome {
        var random = SeededRandom(seed: seed)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: return try changed("bits", seed, &random, by: flip)
        case 40..<65: return try changed("pages", seed, &random, by: overwrite)
        case 65..<80: return try changed("truncation", seed, &random, by: truncate)
        case 80..<92: return try swapped(seed, &random)
        default: return try resigned(seed, &random)
        }
    }

    // MARK: Bytes

    private typealias Change = (_ bytes: [UInt8], inout SeededRandom) -> (bytes: [UInt8], what: String)

    private func changed(
        _ kind: String, _ seed: UInt64, _ random: inout SeededRandom, by change: Change
    ) throws -> Outcome {
        let name = pickFile(&random)
        let before = try #require(original.files[name])
        let (after, what) = change(before, &random)
        try File.write(after, to: "\(folder.path)/\(name)")
        defer { restore([name]) }
        return Outcome(
            seed: seed, kind: kind, description: "\(name): \(what)", expectation: expectation(name, before, after),
            audit: try Subledger.DeepAudit(folder), continuesCheckpoint: nil)
    }

    /// Picks the log more often than what is derived from it.
    private func pickFile(_ random: inout SeededRandom) -> String {
        let others = original.files.keys.filter { !$0.hasPrefix("log/") && !Self.isSecret($0) }.sorted()
        return random.chance(55) ? "log/\(CorruptibleLedger.dataFile)" : random.pick(others)
    }

    /// Keys and names of customers are no part of the history, and nothing repeats them.
    private static func isSecret(_ name: String) -> Bool { name.hasPrefix("keys/") || name.hasPrefix("vault/") }

    private func flip(_ bytes: [UInt8], _ random: inout SeededRandom) -> ([UInt8], String) {
        var changed = bytes
        let count = Int.random(in: 1...3, using: &random)
        let offsets = (0..<count).map { _ in Int.random(in: bytes.indices, using: &random) }
        for offset in offsets { changed[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        return (changed, "bits at \(offsets)")
    }

    private func overwrite(_ bytes: [UInt8], _ random: inout SeededRandom) -> ([UInt8], String) {
        let size = min(4_096, bytes.count)
        func page() -> Range<Int> {
            let start = Int.random(in: 0..<bytes.count / size, using: &random) * size
            return start..<start + size
        }
        let (target, source) = (page(), page())
        var changed = bytes
        let content: [UInt8]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: content = [UInt8](repeating: 0, count: size)
        case 1: content = random.bytes(size)
        default: content = Array(bytes[source])
        }
        changed.replaceSubrange(target, with: content)
        return (changed, "\(size) bytes at \(target.lowerBound)")
    }

    private func truncate(_ bytes: [UInt8], _ random: inout SeededRandom) -> ([UInt8], String) {
        let count = Int.random(in: 0..<bytes.count, using: &random)
        return (Array(bytes[..<count]), "cut to \(count) of \(bytes.count) bytes")
    }

    private func expectation(_ name: String, _ before: [UInt8], _ after: [UInt8]) -> Outcome.Expectation {
        let differing = before.indices.filter { $0 >= after.count || before[$0] != after[$0] }
        guard original.maps[name] != nil else {
            // The note of a quarantined item is in no digest.
            let note = name.hasPrefix("quarantine/") ? before.firstIndex(of: UInt8(ascii: "\n")) ?? 0 : -1
            return differing.isEmpty ? .sound : differing.contains { $0 > note } ? .found : .either
        }
        var expectation = Outcome.Expectation.sound
        for offset in differing {
            switch original.classify(offset, in: name) {
            // The feed's clock is stated nowhere else.
            case .live(.value, "meta") where name.hasPrefix("derived/transitions/"): expectation = .either
            case .live: return .found
            case .dead(.mayVary): expectation = .either
            default: continue
            }
        }
        return expectation
    }

    private func restore(_ names: some Sequence<String>) {
        for name in names {
            guard let bytes = original.files[name] else { continue }
            do {
                try File.write(bytes, to: "\(folder.path)/\(name)")
            } catch {
                Issue.record("\(name) cannot be restored: \(error)")
            }
        }
    }

    // MARK: Records

    /// Exchanges two values, as a tool that knows LMDB would.
    private func swapped(_ seed: UInt64, _ random: inout SeededRandom) throws -> Outcome {
        let facts = String(folder.facts.dropFirst(folder.path.count + 1))
        let (directory, database) = random.pick([
            ("log", "records"), ("log", "evidence"), ("log", "records"), (facts, "facts"),
            ("derived/transitions", "rows"),
        ])
        let file = "\(directory)/\(CorruptibleLedger.dataFile)"
        defer { restore([file]) }
        let keys = try exchange(in: "\(folder.path)/\(directory)", database, &random)
        return Outcome(
            seed: seed, kind: "swaps", description: "\(database) \(keys)", expectation: .found,
            audit: try Subledger.DeepAudit(folder), continuesCheckpoint: nil)
    }

    private func exchange(
        in directory: String, _ database: String, _ random: inout SeededRandom
    ) throws -> [UInt64] {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = 8 << 30
        let environment = try LMDB.Environment(directory: directory, options: options)
        let opened = try environment.openDatabase(database, flags: .integerKey)
        func value(_ key: UInt64) throws -> [UInt8] {
            try environment.read { try $0.get(key, in: opened)?.withUnsafeBytes { Array($0) } ?? [] }
        }
        let count = try environment.read { UInt64(try $0.statistics(of: opened).entries) }
        while true {
            let keys = [UInt64.random(in: 0..<count, using: &random), UInt64.random(in: 0..<count, using: &random)]
            let values = try keys.map(value)
            guard values[0] != values[1] else { continue }
            try environment.write { transaction in
                for (key, value) in zip(keys, values.reversed()) {
                    try transaction.put(value.span.bytes, at: key, in: opened)
                }
            }
            return keys
        }
    }

    // MARK: Trees

    /// Replaces everything by a sound ledger with another tree, which the ledger's own key has signed.
    private func resigned(_ seed: UInt64, _ random: inout SeededRandom) throws -> Outcome {
        let name = random.pick(original.resigned.keys.sorted())
        let files = try #require(original.resigned[name])
        try CorruptibleLedger.write(files, to: folder.path)
        defer {
            for added in files.keys where original.files[added] == nil { unlink("\(folder.path)/\(added)") }
            restore(original.files.keys)
        }
        return Outcome(
            seed: seed, kind: "re-signed trees", description: name, expectation: .refusedByCheckpoint,
            audit: try Subledger.DeepAudit(folder), continuesCheckpoint: try continuesCheckpoint())
    }

    private func continuesCheckpoint() throws -> Bool {
        do {
            try LogReader(LogConfiguration(directory: folder.log)).requirePrefix(original.kept)
            return true
        } catch let error as StorageError where error.code == .logCorrupt {
            return false
        }
    }
}
