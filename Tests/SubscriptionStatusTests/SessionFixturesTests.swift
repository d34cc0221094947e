import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `Real sandbox notifications` {
    @Test(arguments: SessionConformance.table)
    func `give the states of the conformance table`(row: SessionConformance) throws {
        guard let events = SessionFixtures.notifications else { return }
        let states = try answers(events).states(at: Instant(milliseconds: row.t), rules: Rules())
        #expect(states.map(\.status.rawValue) == [row.status].compactMap(\.self))
        guard let state = states.first else { return }
        if let reason = row.reason { #expect(state.reason.rawValue == reason) }
        if let productId = row.productId { #expect(state.productId?.text == productId) }
        if let willRenew = row.willRenew { #expect(state.willRenew == willRenew) }
        if let expiresAt = row.expiresAt { #expect(state.expiresAt == Instant(milliseconds: expiresAt)) }
        if let accessUntil = row.accessUntil { #expect(state.accessUntil == Instant(milliseconds: accessUntil)) }
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
        var observations: [KeyedObservation] = []
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

    @Test func `give the whole history with its words and causes`() throws {
        guard let events = SessionFixtures.notifications else { return }
        let history = try #require(
            answers(events).histories(until: Instant(milliseconds: 1_760_592_700_000), rules: Rules()).first)
        let story = history.transitions.map { transition in
            let words = transition.change.map(\.rawValue).joined(separator: " ")
            return "\(transition.at.milliseconds) \(words): \(transition.to.status) \(transition.to.reason) "
                + transition.cause.name
        }
        #expect(
            story == [
                "1759302518835 started: active unknown DID_RENEW",
                "1759302552000 renewed: active paid DID_RENEW",
                "1759302732000 awaitingRenewal: active awaitingRenewal time",
                "1759302750000 expired: expired unknown time",
                "1759388767000 resubscribed: active paid SUBSCRIBED/RESUBSCRIBE",
                "1759388855473 autoRenewOff: active paid DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                "1759388947000 expired: expired cancelled EXPIRED/VOLUNTARY",
                "1760335129000 resubscribed: active paid CONSUMPTION_REQUEST",
                "1760335309000 awaitingRenewal: active awaitingRenewal time",
                "1760335327000 expired: expired unknown time",
                "1760591774000 resubscribed planChanged: active paid SUBSCRIBED/RESUBSCRIBE",
                "1760591999000 refunded: active paid REFUND",
                "1760592314000 awaitingRenewal: active awaitingRenewal time",
                "1760592368000 expired: expired unknown time",
            ])
    }

    @Test func `never disagree with a status that Apple signed`() throws {
        guard let events = SessionFixtures.notifications else { return }
        #expect(try answers(events).disagreements(rules: Rules()).isEmpty)
    }

    private func observations(in events: [[UInt8]]) throws -> [KeyedObservation] {
        try events.enumerated().flatMap { try SessionFixtures.observations(in: $1, at: Position($0)) }
    }

    private func answers(_ events: [[UInt8]]) throws -> [Lineage] {
        try Lineage.components(of: timelines(of: observations(in: events)))
    }

    /// `state` at every instant of the table and the whole `history`, without positions and recorded times.
    private func rendered(_ lineages: [Lineage]) -> [AnyHashable] {
        let end = Instant(milliseconds: 1_760_700_000_000)
        let states = SessionConformance.table.flatMap { row in
            lineages.states(at: Instant(milliseconds: row.t), rules: Rules()).map { AnyHashable(Answer($0)) }
        }
        let histories = lineages.histories(until: end, rules: Rules())
        return states + histories.flatMap { $0.transitions.map { AnyHashable(Turn($0)) } }
    }
}
