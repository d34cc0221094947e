import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import TestSupport
import Testing

/// Laws that hold for any observations at all, drawn from few enough values that dates, identities and rules meet.
@Suite struct `Answers` {
    static let histories = 1_500

    @Test func `do not depend on order, repetition, grouping, positions or recorded times`() {
        var generator = SeededRandom()
        for _ in 0..<Self.histories {
            let world = generator.world()
            let expected = Self.rendered(Lineage.components(of: world.timelines), world)
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

    @Test func `change at transitions and nowhere else`() {
        var generator = SeededRandom()
        var seen: [String: Int] = [:]
        for _ in 0..<Self.histories {
            let world = generator.world()
            let lineages = Lineage.components(of: world.timelines)
            let comment = Comment(rawValue: "seed \(SeededRandom.seed)")
            for history in lineages.histories(until: world.end, rules: world.rules) {
                func state(at t: Instant) -> SubscriptionState? {
                    lineages.states(at: t, rules: world.rules).first { $0.key == history.key }
                }
                for transition in history.transitions {
                    let before = state(at: transition.at.advanced(byMilliseconds: -1))
                    #expect(state(at: transition.at) == transition.to, comment)
                    #expect(before.map(Shape.init) == transition.from.map(Shape.init), comment)
                    #expect(transition.from.map(Shape.init) != Shape(transition.to), comment)
                    seen[transition.to.rule.name, default: 0] += 1
                }
                for trial in 0..<20 {
                    let range = trial < 15 ? world.busyRange : world.range
                    let t = Instant(milliseconds: .random(in: range, using: &generator))
                    let last = history.transitions.last { $0.at <= t }?.to
                    #expect(state(at: t).map(Shape.init) == last.map(Shape.init), comment)
                }
                let until = Instant(milliseconds: .random(in: world.busyRange, using: &generator))
                let earlier = lineages.histories(until: until, rules: world.rules).first { $0.key == history.key }
                #expect(earlier?.transitions ?? [] == history.transitions.filter { $0.at <= until }, comment)
            }
        }
        let rules = [
            "periodCovers", "impliedPeriodCovers", "renewalAwaited", "gracePeriod", "billingRetry", "revoked",
            "replaced", "periodEnded", "signedStatus",
        ]
        print("rules met:", rules.map { "\($0) \(seen[$0] ?? 0)" }.joined(separator: ", "))
        for rule in rules { #expect(seen[rule, default: 0] > 0, "\(rule) never met; seed \(SeededRandom.seed)") }
    }

    @Test func `exist for any instant and any date`() {
        var generator = SeededRandom()
        let extremes = [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max].map(Instant.init(milliseconds:))
        for _ in 0..<300 {
            var world = generator.world()
            world.observations = world.observations.map { key, observation in
                (key, observation.with(dates: extremes, using: &generator))
            }
            world.rules.access.ownGraceDays = generator.pick([.min, -1, 0, .max])
            world.rules.access.limitedAccessDays = generator.pick([.min, -1, 0, .max])
            world.rules.access.renewalLeewayMinutes = generator.pick([.min, -1, 0, .max])
            let lineages = Lineage.components(of: world.timelines)
            for t in extremes {
                for state in lineages.states(at: t, rules: world.rules) { #expect(!state.words.isEmpty) }
            }
            for history in lineages.histories(until: extremes[6], rules: world.rules) {
                #expect(!history.transitions.isEmpty)
            }
        }
    }

    /// `state` at a dozen instants and the whole `history`, apart from positions and recorded times.
    private static func rendered(_ lineages: [Lineage], _ world: World) -> [String] {
        let instants = (-5...30).map { Instant(milliseconds: $0 * 2 * world.unit) } + [world.end]
        let states = instants.flatMap { lineages.states(at: $0, rules: world.rules) }
        let histories = lineages.histories(until: world.end, rules: world.rules)
        return states.map { $0.json.withoutPositions } + histories.map { $0.json(explained: true).withoutPositions }
    }
}

/// What a transition changes.
private struct Shape: Hashable {
    let status: Status
    let productId: String?
    let willRenew: Bool?
    let access: Access

    init(_ state: SubscriptionState) {
        status = state.status
        productId = state.productId
        willRenew = state.willRenew
        access = state.access
    }
}
