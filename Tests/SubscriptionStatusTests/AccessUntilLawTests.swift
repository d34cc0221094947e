import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionStatus
import Testing

/// Computes `accessUntil` in another way: the fold of everything signed by `t` is evaluated at every later turning
/// point.
@Suite struct `The end of access` {
    @Test func `is the first instant without access if nothing is signed after t`() {
        var generator = SeededRandom()
        var (asked, compared, failures, laterDifferences) = (0, 0, 0, 0)
        for number in 0..<2_500 {
            let world = generator.world(of: 1...1)
            let lineages = world.lineages
            for _ in 0..<8 {
                let t = Instant(milliseconds: .random(in: world.busyRange, using: &generator))
                guard let state = lineages.states(at: t, rules: world.rules).first else { continue }
                asked += 1
                let known = world.signed(by: t).lineages
                guard let filtered = known.states(at: t, rules: world.rules).first else { continue }
                let expected = endOfAccess(known, after: t, rules: world.rules)
                // An equal row from all facts may still have another `accessUntil`, because a fact signed later may
                // change the dates of a charged purchase. These rows are counted, not forbidden.
                let isSame = Answer(state).differences(
                    from: Answer(filtered), except: ["accessUntil", "inferred", "disagreement"]
                ).isEmpty
                compared += isSame ? 1 : 0
                laterDifferences += isSame && state.accessUntil != expected ? 1 : 0
                guard filtered.accessUntil != expected else { continue }
                failures += 1
                guard failures <= 4 else { continue }
                Issue.record(
                    """
                    seed \(SeededRandom.seed), world \(number), t \(t.milliseconds), \(filtered.decision): \
                    accessUntil \(milliseconds(filtered.accessUntil)), expected \(milliseconds(expected))
                    \(world.signed(by: t).text)
                    """)
            }
        }
        print(
            "rows seen: \(asked), different \(failures); same with later facts \(compared), different \(laterDifferences)"
        )
        #expect(failures == 0)
        #expect(compared > asked / 2)
    }

    /// Returns the end of access; nil if access never ends or there is none at `t`.
    private func endOfAccess(_ lineages: [Lineage], after t: Instant, rules: Rules) -> Instant? {
        func access(at instant: Instant) -> Access? { lineages.states(at: instant, rules: rules).first?.access }
        guard access(at: t) != Access.none else { return nil }
        return lineages.turningPoints(rules: rules).sorted().first { $0 > t && access(at: $0) == Access.none }
    }

    private func milliseconds(_ instant: Instant?) -> String { instant.map { String($0.milliseconds) } ?? "never" }
}
