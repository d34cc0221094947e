import Glibc
import LedgerAPI
import LedgerTesting
import SubscriptionLedger
import Testing

@Suite("SIGKILL during a rebuild", .serialized)
struct KilledRebuildTests {
    @Test func `leaves the old rows or the new ones, and the next rebuild completes`() async throws {
        let rounds = TestEnvironment.isLong ? 1_000 : 12
        let temporary = try TemporaryFolder()
        let ledger = ProjectedLedger(try temporary.data(), notifications: 30 + rounds)
        try await ledger.add(0..<30)
        var random = SeededRandom(seed: TestEnvironment.seed)
        let duration = try await blocking { try ledger.rebuild().duration }
        var (replaced, kept) = (0, 0)
        for round in 0..<rounds {
            try await ledger.add(30 + round..<31 + round)
            let after = duration * Double.random(in: 0...2, using: &random)
            let isIncremental = random.chance(50)
            let isKept = try await blocking {
                let before = try ledger.reader().projections().rows
                try Self.kill(ledger, after: after, isIncremental)
                let now = try ledger.reader().projections().rows
                try #require(now.count == 1, "round \(round), killed after \(after), seed \(TestEnvironment.seed)")
                try #require(now == before || now[0].knownAt == UInt64(31 + round))
                try ledger.requireStates()
                return now == before
            }
            if isKept { kept += 1 } else { replaced += 1 }
        }
        try await blocking {
            try ledger.rebuild()
            try ledger.requireStates()
        }
        print(
            "SIGKILL during a rebuild: \(rounds) rounds, \(kept) times the old rows, \(replaced) times the new ones,",
            "seed \(TestEnvironment.seed)")
    }

    private static func kill(_ ledger: ProjectedLedger, after delay: Duration, _ isIncremental: Bool) throws {
        let command = ledger.arguments("rebuild") + (isIncremental ? ["--incremental"] : [])
        let deadline = ContinuousClock.now + delay
        let child = try ChildProcess("subledger", command)
        while child.nextLine(before: deadline) != nil {}
        // It may have ended before.
        _ = child.end(by: SIGKILL)
    }
}
