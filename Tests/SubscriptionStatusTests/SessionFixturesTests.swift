import AppStoreModel
import AppStoreTranslation
import LedgerModel
import Primitives
import SubscriptionStatus
import TestSupport
import Testing

@Suite struct `Real sandbox notifications` {
    @Test(arguments: SessionConformance.table)
    func `give the states of the conformance table`(row: SessionConformance) throws {
        guard let events = SessionFixtures.notifications else { return }
        let states = try answers(events).states(at: Instant(milliseconds: row.t), rules: Rules())
        #expect(states.map(\.status.rawValue) == [row.status].compactMap(\.self))
        guard let state = states.first else { return }
        if let reason = row.reason { #expect(state.reason.rawValue == reason) }
        if let productId = row.productId { #expect(state.productId == productId) }
        if let willRenew = row.willRenew { #expect(state.willRenew == willRenew) }
        if let expiresAt = row.expiresAt { #expect(state.expiresAt == Instant(milliseconds: expiresAt)) }
        #expect(state.pendingProductId == nil)
    }

    @Test func `give the same answers in every order, doubled, and with nested payloads posted alone`() throws {
        guard let events = SessionFixtures.notifications else {
            print("fixtures: absent")
            return
        }
        print("fixtures: \(events.count) checked")
        let expected = try rendered(answers(events))
        var generator = SeededRandom()
        var orders = [Array(events.reversed()), events + events, events + events.reversed()]
        for _ in 0..<50 { orders.append(events.shuffled(using: &generator)) }
        for order in orders {
            #expect(try rendered(answers(order)) == expected, "seed \(SeededRandom.seed)")
        }
        var observations: [FiledObservation] = []
        for (position, event) in events.reversed().enumerated() {
            observations += try SessionFixtures.nested(in: event, at: Position(2 * position))
            observations += try SessionFixtures.observations(in: event, at: Position(2 * position + 1))
        }
        #expect(rendered(Lineage.components(of: timelines(of: observations))) == expected)
    }

    @Test func `known at a size are the answers of a log that stopped there`() throws {
        guard let events = SessionFixtures.notifications else { return }
        var generator = SeededRandom()
        for order in [events, events.reversed(), events.shuffled(using: &generator)] {
            let whole = try timelines(of: observations(in: order))
            for size in 0...order.count {
                let known = whole.mapValues { $0.known(at: Position(size)) }.filter { !$0.value.observations.isEmpty }
                let stopped = try timelines(of: observations(in: Array(order.prefix(size))))
                #expect(known == stopped)
                #expect(
                    rendered(Lineage.components(of: known)) == rendered(Lineage.components(of: stopped)))
            }
        }
    }

    @Test func `tell the whole story with its causes`() throws {
        guard let events = SessionFixtures.notifications else { return }
        let history = try #require(
            answers(events).histories(until: Instant(milliseconds: 1_760_592_700_000), rules: Rules()).first)
        let story = history.transitions.map { transition in
            "\(transition.at.milliseconds) \(transition.to.status) \(transition.to.willRenew ?? false) "
                + "\(transition.to.reason) \(transition.cause.name)"
        }
        #expect(
            story == [
                "1759302518835 active true unknown DID_RENEW",
                "1759303032000 expired false unknown time",
                "1759388767000 active true paid SUBSCRIBED/RESUBSCRIBE",
                "1759388855473 active false paid DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                "1759388947000 expired false cancelled EXPIRED/VOLUNTARY",
                "1760335129000 active false paid CONSUMPTION_REQUEST",
                "1760335309000 expired false cancelled time",
                "1760591774000 active false paid SUBSCRIBED/RESUBSCRIBE",
                "1760591792087 active true paid SUBSCRIBED/RESUBSCRIBE",
                "1760592614000 expired false unknown time",
            ])
    }

    private func observations(in events: [[UInt8]]) throws -> [FiledObservation] {
        try events.enumerated().flatMap { try SessionFixtures.observations(in: $1, at: Position($0)) }
    }

    private func answers(_ events: [[UInt8]]) throws -> [Lineage] {
        try Lineage.components(of: timelines(of: observations(in: events)))
    }

    /// `state` at every instant of the table and the whole `history`, apart from positions and recorded times.
    private func rendered(_ lineages: [Lineage]) -> [String] {
        let end = Instant(milliseconds: 1_760_700_000_000)
        let states = SessionConformance.table.flatMap { row in
            lineages.states(at: Instant(milliseconds: row.t), rules: Rules()).map { $0.json.withoutPositions }
        }
        return states + lineages.histories(until: end, rules: Rules()).map { $0.json(explained: true).withoutPositions }
    }
}
