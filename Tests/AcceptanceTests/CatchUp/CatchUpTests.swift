import LedgerTesting
import Testing

@Suite("SIGKILL during a catch-up", .serialized)
struct CatchUpTests {
    @Test func `leaves the older facts until the new ones are complete, and loses no progress`() async throws {
        let ledger = try await UpgradedLedger()
        try await blocking {
            var random = SeededRandom(seed: TestEnvironment.seed)
            let duration = try ledger.catchUp()
            let rounds = TestEnvironment.isLong ? 1_000 : 3
            var (continued, unfinished) = (0, 0)
            for round in 0..<rounds {
                let after = duration * Double.random(in: 0...1.2, using: &random)
                do {
                    if try ledger.isComplete() {
                        try ledger.catchUp()
                        try ledger.restoreOlderFacts()
                    }
                    let before = try ledger.storedSize()
                    try ledger.kill(after: after, serving: round.isMultiple(of: 2))
                    if before > 0 { continued += 1 }
                    if try !ledger.isComplete() { unfinished += 1 }
                } catch {
                    Issue.record("SUBLEDGER_SEED=\(TestEnvironment.seed), round \(round), killed after \(after)")
                    throw error
                }
            }
            try ledger.catchUp()
            print(
                "SIGKILL during a catch-up: \(rounds) rounds, \(unfinished) unfinished, \(continued) continued,",
                "seed \(TestEnvironment.seed)")
        }
    }
}
