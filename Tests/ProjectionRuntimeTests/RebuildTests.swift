import FactStore
import LedgerModel
import LedgerStorage
import LedgerTesting
import Primitives
import ProjectionRuntime
import SubscriptionStatus
import Testing

@Suite struct RebuildTests {
    @Test(arguments: 0..<10)
    func `has the state of every subscription that look-ups find`(round: UInt64) throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed &+ round)
        try world.addEvents(80)
        try world.addEvents(80)
        var rules = Rules()
        rules.access.ownGraceDays = Int(round % 3)

        let manifest = try world.builder(rules: rules).rebuild(logRoot: .zero)

        let (rows, states) = (try world.rows(manifest), try world.states(rules: rules))
        #expect(rows.count == states.count && manifest.content.rows == states.count)
        #expect(Set(states.map(\.status)).count > 1, "the sample has too few states, seed \(SeededRandom.seed)")
        for (row, state) in zip(rows, states) {
            #expect(row["originalTransactionId"] == .text(state.key.originalTransactionId))
            #expect(row["bundleId"] == .text(state.key.bundleId))
            #expect(row["status"] == .text(state.status.rawValue))
            #expect(row["nextStep"] == .text(state.nextStep.rawValue))
            #expect(row["expiresAt"] == state.expiresAt.map(ColumnValue.instant))
            #expect(row["willRenew"] == state.willRenew.map(ColumnValue.flag))
            #expect(row["productId"] == state.productId.map { .text($0.text) })
            #expect(row["price"] == (state.price?.price).map(ColumnValue.integer))
            #expect(row["offerIds"] == .texts(state.offerIds))
            #expect(row["evidence"] == .positions(state.evidence))
        }
    }

    @Test(arguments: 0..<4)
    func `gives the same bytes with any memory and any number of threads`(round: UInt64) throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed &+ round)
        try world.addEvents(400)
        let digest = try world.builder(workers: 1).rebuild(logRoot: .zero).content.sha256
        // The index and the rows take far more than ten times the least of these.
        for memory in [1_000, 10_000, 100_000, 1 << 30] {
            for workers in [1, 2, 5] {
                let manifest = try world.builder(memory: memory, workers: workers).rebuild(logRoot: .zero)
                #expect(manifest.content.sha256 == digest, "memory \(memory), \(workers) threads")
            }
        }
    }

    @Test func `gives the same bytes for facts in memory and for stored facts`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(200)
        let before = try world.builder().rebuild(logRoot: .zero)
        while world.facts.lag > 0 { try world.facts.store() }
        #expect(try world.builder().rebuild(logRoot: .zero) == before)
    }

    @Test(arguments: 0..<10)
    func `an update gives the bytes of a rebuild`(round: UInt64) throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed &+ round)
        for step in 0..<12 {
            // Few events, so that most keys stay and the stored rows are merged with new ones.
            try world.addEvents(step == 0 ? 300 : step % 3)
            let updated = try world.builder().update(logRoot: .zero, logRootBefore: .zero)
            let rebuilt = try world.builder(in: world.otherFolder("step-\(step)")).rebuild(logRoot: .zero)
            #expect(updated == rebuilt, "step \(step), seed \(SeededRandom.seed)")
        }
    }

    @Test func `an empty ledger has an empty projection`() throws {
        let world = try ProjectionWorld(seed: 1)
        let manifest = try world.builder().rebuild(logRoot: .zero)
        #expect(manifest.content.keys == 0 && manifest.content.rows == 0 && manifest.knownAt == 0)
    }

    @Test func `a rebuild reports each phase up to its end`() throws {
        let world = try ProjectionWorld(seed: SeededRandom.seed)
        try world.addEvents(50)
        let reports = Reports()
        var options = RebuildOptions()
        options.report = { reports.add($0) }
        _ = try ProjectionBuilder(
            StatusProjection.self, in: world.store, of: world.facts, rules: Rules(), options: options
        ).rebuild(logRoot: .zero)
        #expect(reports.phases == ["reading", "folding", "writing"])
    }
}
