import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionStatus
import Testing

/// Laws for any observations, including contradictory ones.
@Suite struct `Answers` {
    static let histories = 1_500

    @Test func `do not depend on order, repetition, grouping, positions or recorded times`() {
        var generator = SeededRandom()
        for _ in 0..<Self.histories {
            let world = generator.world()
            let expected = Self.rendered(world.lineages, world)
            var pieces: [SubscriptionKey: Timeline] = [:]
            for (key, observation) in (world.observations + world.observations).shuffled(using: &generator) {
                let moved = observation.moved(to: Position.random(in: 0..<50, using: &generator))
                pieces[key] = Timeline([moved]).union(pieces[key] ?? Timeline())
            }
            #expect(Self.rendered(Lineage.components(of: pieces), world) == expected, "seed \(SeededRandom.seed)")
        }
    }

    @Test func `known at a size are those of a log that stopped there`() {
        var generator = SeededRandom()
        for _ in 0..<Self.histories / 5 {
            let world = generator.world()
            for size in stride(from: Position(0), through: 20, by: 4) {
                let known = world.timelines.mapValues { $0.known(at: size) }
                let first = world.observations.filter { $0.1.source.position < size }
                let stopped = Dictionary(grouping: first, by: \.0).mapValues { Timeline($0.map(\.1)) }
                let answers = Lineage.components(of: known.filter { !$0.value.observations.isEmpty })
                #expect(answers == Lineage.components(of: stopped), "seed \(SeededRandom.seed)")
            }
        }
    }

    @Test func `are constant between turning points`() {
        var generator = SeededRandom()
        for number in 0..<Self.histories {
            let world = generator.world()
            let lineages = world.lineages
            let points = lineages.turningPoints(rules: world.rules).sorted()
            for trial in 0..<12 {
                let range = trial < 8 ? world.busyRange : world.range
                let t =
                    trial % 4 == 0
                    ? generator.pick(points + [hour(0)]).advanced(byMilliseconds: -1)
                    : Instant(milliseconds: .random(in: range, using: &generator))
                let turned = points.last { $0 <= t }.map { lineages.states(at: $0, rules: world.rules) } ?? []
                let states = lineages.states(at: t, rules: world.rules)
                #expect(states.map(\.key) == turned.map(\.key))
                for (state, last) in zip(states, turned) {
                    let differences = Answer(state).differences(from: Answer(last))
                    #expect(differences.isEmpty, "seed \(SeededRandom.seed), world \(number), t \(t)\n\(world.text)")
                    #expect(state.evidence == last.evidence, "seed \(SeededRandom.seed), world \(number)")
                }
            }
        }
    }

    @Test func `change at transitions and nowhere else`() {
        var generator = SeededRandom()
        var seen: [String: Int] = [:]
        for number in 0..<Self.histories {
            let world = generator.world()
            let lineages = world.lineages
            let comment = Comment(rawValue: "seed \(SeededRandom.seed), world \(number)")
            for history in lineages.histories(until: world.end, rules: world.rules) {
                func answer(at t: Instant) -> Answer? {
                    lineages.states(at: t, rules: world.rules).first { $0.key == history.key }.map(Answer.init)
                }
                for transition in history.transitions {
                    // A history ignores the account's other subscriptions, on which the next step depends.
                    let differences = answer(at: transition.at)?.differences(
                        from: Answer(transition.to), except: ["nextStep", "offerIds"])
                    #expect(differences == [], comment)
                    let before = answer(at: transition.at.advanced(byMilliseconds: -1))
                    #expect(before.map(Shape.init) == transition.from.map { Shape(Answer($0)) }, comment)
                    #expect(!transition.change.isEmpty, comment)
                    seen[transition.to.decision.name, default: 0] += 1
                }
                #expect(history.transitions.map(\.at) == Set(history.transitions.map(\.at)).sorted(), comment)
                for trial in 0..<20 {
                    let range = trial < 15 ? world.busyRange : world.range
                    let t = Instant(milliseconds: .random(in: range, using: &generator))
                    let last = history.transitions.last { $0.at <= t }?.to
                    #expect(answer(at: t).map(Shape.init) == last.map { Shape(Answer($0)) }, comment)
                }
                let until = Instant(milliseconds: .random(in: world.busyRange, using: &generator))
                let earlier = lineages.histories(until: until, rules: world.rules).first { $0.key == history.key }
                #expect(earlier?.transitions ?? [] == history.transitions.filter { $0.at <= until }, comment)
            }
        }
        let decisions = [
            "replaced", "revoked", "periodCovers", "impliedPeriodCovers", "renewalAwaited", "gracePeriod",
            "signedGracePeriod", "billingRetry", "inferredBillingRetry", "periodEnded",
        ]
        print("decisions seen:", decisions.map { "\($0) \(seen[$0] ?? 0)" }.joined(separator: ", "))
        for name in decisions { #expect(seen[name, default: 0] > 0, "\(name) never seen; seed \(SeededRandom.seed)") }
    }

    @Test func `exist for any instant and any date`() {
        var generator = SeededRandom()
        let extremes = [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max].map(Instant.init(milliseconds:))
        for _ in 0..<600 {
            var world = generator.world()
            world.observations = world.observations.map { key, observation in
                (key, observation.with(dates: extremes, using: &generator))
            }
            world.rules.access.ownGraceDays = generator.pick([.min, -1, 0, .max])
            world.rules.access.limitedAccessDays = generator.pick([.min, -1, 0, .max])
            world.rules.access.renewalLeewayMinutes = generator.pick([.min, -1, 0, .max])
            let lineages = world.lineages
            for t in extremes {
                for state in lineages.states(at: t, rules: world.rules) { #expect(state.purchasedAt <= t) }
            }
            for history in lineages.histories(until: extremes[6], rules: world.rules) {
                #expect(!history.transitions.isEmpty)
                #expect(history.transitions.allSatisfy { !$0.change.isEmpty && !$0.explanation.isEmpty })
            }
        }
    }

    /// `state` at 37 instants and the whole `history`, without positions and recorded times.
    private static func rendered(_ lineages: [Lineage], _ world: World) -> [AnyHashable] {
        let instants = (-5...30).map { Instant(milliseconds: $0 * 2 * world.unit) } + [world.end]
        let states = instants.flatMap { lineages.states(at: $0, rules: world.rules) }
        let histories = lineages.histories(until: world.end, rules: world.rules)
        return states.map { AnyHashable(Answer($0)) }
            + histories.flatMap { $0.transitions.map { AnyHashable(Turn($0)) } }
    }
}

/// The fields whose changes each create a row of the history (domain rules §5).
private struct Shape: Hashable {
    let status: Status
    let period: PeriodName?
    let productId: String?
    let reason: Reason
    let access: Access
    let willRenew: Bool?
    let pendingProductId: String?
    let expiresAt: Instant?
    let gracePeriodExpiresAt: Instant?
    let priceIncrease: PriceIncrease?

    init(_ answer: Answer) {
        status = answer.status
        period = answer.period
        productId = answer.productId
        reason = answer.reason
        access = answer.access
        willRenew = answer.willRenew
        pendingProductId = answer.pendingProductId
        expiresAt = answer.expiresAt
        gracePeriodExpiresAt = answer.gracePeriodExpiresAt
        priceIncrease = answer.priceIncrease
    }
}
