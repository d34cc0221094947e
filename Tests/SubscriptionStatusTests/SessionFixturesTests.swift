import AppStoreModel
import AppStoreTranslation
import LedgerModel
import Primitives
import SubscriptionStatus
import TestSupport
import Testing

@Suite struct `Real sandbox notifications` {
    /// A row of the conformance table: what holds at `t`. Nil fields are not looked at.
    struct Row: Sendable, CustomTestStringConvertible {
        let t: Int64
        let status: Status
        var reason: Reason?
        var product: String?
        var willRenew: Bool?
        var expiresAt: Int64?
        var testDescription: String { "at \(t)" }
    }

    static let month = "com.getsession.org.pro_sub"
    static let quarter = "com.getsession.org.pro_sub_3_months"

    static let rows = [
        Row(t: 1_759_302_518_834, status: .expired, reason: .unknown),
        Row(t: 1_759_302_518_835, status: .active, product: month, willRenew: true, expiresAt: 1_759_302_732_000),
        Row(t: 1_759_302_731_999, status: .active, reason: .paid, willRenew: true, expiresAt: 1_759_302_732_000),
        Row(t: 1_759_302_732_000, status: .active, reason: .awaitingRenewal),
        Row(t: 1_759_303_031_999, status: .active, reason: .awaitingRenewal),
        Row(t: 1_759_303_032_000, status: .expired, reason: .unknown, willRenew: false),
        Row(t: 1_759_388_766_999, status: .expired, reason: .unknown),
        Row(t: 1_759_388_767_000, status: .active, reason: .paid, expiresAt: 1_759_388_947_000),
        Row(t: 1_759_388_856_473, status: .active, reason: .paid, willRenew: false, expiresAt: 1_759_388_947_000),
        Row(t: 1_759_388_947_000, status: .expired, reason: .cancelled),
        Row(t: 1_760_335_200_000, status: .active, product: month, expiresAt: 1_760_335_309_000),
        Row(
            t: 1_760_592_122_788, status: .active, product: quarter, willRenew: true, expiresAt: 1_760_592_314_000),
        Row(t: 1_760_592_314_000, status: .active, reason: .awaitingRenewal),
        Row(t: 1_760_592_613_999, status: .active, reason: .awaitingRenewal),
        Row(t: 1_760_592_614_000, status: .expired, reason: .unknown),
    ]

    @Test(arguments: rows)
    func `give the states of the conformance table`(row: Row) throws {
        guard let events = SessionFixtures.notifications else { return }
        let states = try answers(events).states(at: Instant(milliseconds: row.t), rules: Rules())
        if row.t < 1_759_302_518_835 {
            #expect(states.isEmpty)
            return
        }
        let state = try #require(states.first)
        #expect(states.count == 1)
        #expect(state.status == row.status)
        if let reason = row.reason { #expect(state.reason == reason) }
        if let product = row.product { #expect(state.productId == product) }
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
        let states = Self.rows.flatMap { row in
            lineages.states(at: Instant(milliseconds: row.t), rules: Rules()).map { $0.json.withoutPositions }
        }
        return states + lineages.histories(until: end, rules: Rules()).map { $0.json(explained: true).withoutPositions }
    }
}
