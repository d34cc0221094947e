import EventLog
import Glibc
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Testing
import TransparencyLog

@Suite("SIGKILL", .serialized)
struct KillTests {
    /// The number of rounds per folder, which keeps the audits of a long run short.
    private static let roundsPerFolder = 50

    @Test func `at any instant loses nothing that was acknowledged, and nothing is there twice`() async throws {
        try await blocking {
            var random = SeededRandom(seed: TestEnvironment.seed)
            var (acknowledged, events) = (0, UInt64(0))
            let rounds = TestEnvironment.isLong ? 1_000 : Self.roundsPerFolder
            for first in stride(from: 0, to: rounds, by: Self.roundsPerFolder) {
                var ledger = try KilledLedger(seed: random.next())
                for round in first..<min(first + Self.roundsPerFolder, rounds) {
                    let after = Duration.microseconds(Int.random(in: 0...250_000, using: &random))
                    do {
                        try ledger.kill(after: after, besideReader: round % 3 == 2)
                    } catch {
                        Issue.record("SUBLEDGER_SEED=\(TestEnvironment.seed), round \(round), killed after \(after)")
                        throw error
                    }
                }
                try ledger.settle()
                acknowledged += ledger.acknowledged.positions.count
                events += ledger.head.size
            }
            print(
                "SIGKILL: \(rounds) rounds, \(acknowledged) acknowledged and read back, \(events) events,",
                "seed \(TestEnvironment.seed)")
            #expect(acknowledged > rounds, "hardly anything was written")
        }
    }
}

/// A ledger whose writer is killed repeatedly.
private struct KilledLedger {
    private let temporary: TemporaryFolder
    private let folder: DataFolder
    private let seed: UInt64
    private(set) var acknowledged = Acknowledgements()
    private(set) var head = TreeHead.empty

    init(seed: UInt64) throws {
        temporary = try TemporaryFolder()
        folder = DataFolder(path: temporary.path + "/data")
        self.seed = seed
    }

    /// - Parameter besideReader: whether another process has a snapshot open throughout. LMDB then does not reset the
    ///   lock file, so the dead writer's lock has to be recovered.
    mutating func kill(after delay: Duration, besideReader: Bool) throws {
        let reader = besideReader && folder.exists ? try ChildProcess("crash-writer", ["hold", folder.path]) : nil
        _ = reader?.nextLine()
        let writer = try WritingProcess(folder, seed: seed, resume: acknowledged.resume)
        let instant = ContinuousClock.now + delay
        var positions: [UInt64] = []
        while let line = writer.child.nextLine(before: instant) { positions += try acknowledged.add(line) }
        Glibc.kill(writer.child.pid, SIGKILL)
        for line in writer.child.remainingLines() { positions += try acknowledged.add(line) }
        let ending = writer.child.end()
        try #require(ending == .signalled(SIGKILL), "\(writer.child.standardError)")
        try check(positions)
        reader?.closeInput()
        if let reader { try #require(reader.nextLine() == "same") }
    }

    private mutating func check(_ positions: [UInt64]) throws {
        guard folder.exists else {
            try #require(positions.isEmpty)
            return
        }
        let audit = try Subledger.DeepAudit(folder)
        try #require(audit.isSound, "\(audit)")
        let log = try StoredLog(folder)
        try log.requireEvidence(at: positions, of: acknowledged)
        try log.requireRoot()
        try log.requirePrefix(head)
        head = log.head
    }

    /// Lets every client repeat the call in which it was killed. Then each event has been acknowledged at one position,
    /// and the log contains no others.
    mutating func settle() throws {
        let writer = try WritingProcess(folder, seed: seed, resume: acknowledged.resume, ["--calls", "2"])
        try check(try writer.finish(into: &acknowledged))
        try StoredLog(folder).requireEvidence(at: acknowledged.digests.keys, of: acknowledged)
        #expect(Int(head.size) == acknowledged.positions.count, "events that nobody was told of, or doubles")
        try #require(acknowledged.refusals.isEmpty, "\(acknowledged.refusals)")
    }
}
