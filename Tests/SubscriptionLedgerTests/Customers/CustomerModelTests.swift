import AppStoreSimulation
import EventLog
import LedgerModel
import Primitives
import SubscriptionLedger
import TestSupport
import Testing

/// Random postings, identifications, arrivals and restarts, each answer compared with the model's.
struct CustomerModelTests {
    private static let names = ["alice", "bob", token("a"), token("b")]
    private static let tokens = [nil, nil, token("a"), token("b"), token("e"), token("f")]

    @Test(arguments: Rules.Customers.ClaimConflict.allCases)
    func `answers are those of the rules, at every size, across restarts`(
        rule: Rules.Customers.ClaimConflict
    ) async throws {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        var counts: [String: Int] = [:]
        for run in 0..<(TestEnvironment.isLong ? 200 : 25) {
            let comment = Comment(rawValue: "SUBLEDGER_SEED=\(TestEnvironment.seed), run \(run)")
            try await play(rule, &random, &counts, comment)
        }
        print("customers, \(rule):", counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
        for what in ["linked", "linkRefused", "identified", "restarted", "ingested", "anonymous"] {
            #expect(counts[what, default: 0] > 0, "\(what) never happened")
        }
        #expect(rule == .move || counts["tokenConflict", default: 0] > 0)
        #expect(counts["twoKnown", default: 0] > 0)
    }

    private func play(
        _ rule: Rules.Customers.ClaimConflict, _ random: inout SeededGenerator, _ counts: inout [String: Int],
        _ comment: Comment
    ) async throws {
        let shop = try TestLedger(claimConflict: rule)
        var model = CustomerModel(rule: rule)
        let catalog = (1...5).flatMap { id in
            (1...3).map { number in
                Purchase(
                    "\(id)", number: number, token: Self.tokens.randomElement(using: &random) ?? nil,
                    isFamilyShared: id == 5)
            }
        }
        var snapshots: [UInt64: [String: [String]]] = [:]
        for _ in 0..<30 {
            let purchase = catalog.randomElement(using: &random) ?? catalog[0]
            let name = Self.names.randomElement(using: &random) ?? "alice"
            let handle = model.handles.keys.sorted().randomElement(using: &random)
            let role = Bool.random(using: &random) ? PostingRole.app : .backend
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9:
                let outcome = try await shop.post(purchase, customerId: name, by: role)
                let expected = model.post(purchase, for: model.person(named: name), by: role)
                #expect(outcome.refusedCodes == [expected].compactMap(\.self), comment)
                #expect(try outcome.answer.purchases == model.purchases(of: name), comment)
                counts[expected ?? "linked", default: 0] += 1
            case 9..<12:
                let outcome = try await shop.post(purchase, handle: handle, by: role)
                let given = try #require(try outcome.answer["handle"]?.string)
                #expect(handle == nil || given == handle, comment)
                let person = model.handles[given] ?? model.newcomer(handle: given)
                let expected = model.post(purchase, for: person, by: role)
                #expect(outcome.refusedCodes == [expected].compactMap(\.self), comment)
                counts["anonymous", default: 0] += 1
            case 12..<14:
                guard let handle else { continue }
                let isAdmin = Int.random(in: 0..<4, using: &random) == 0
                let isExpected = model.identify(name, handle: handle, isAdmin: isAdmin)
                let answer = try? await shop.ledger.identify(name, handle: handle, isAdmin: isAdmin)
                #expect((answer != nil) == isExpected, comment)
                counts[isExpected ? "identified" : "twoKnown", default: 0] += 1
            case 14..<18:
                try await shop.ingest(purchase)
                model.ingest(purchase)
                counts["ingested", default: 0] += 1
            default:
                try shop.reopen()
                counts["restarted", default: 0] += 1
            }
            let now = try Dictionary(uniqueKeysWithValues: Self.names.map { ($0, try shop.purchases(of: $0)) })
            #expect(now == Dictionary(uniqueKeysWithValues: Self.names.map { ($0, model.purchases(of: $0)) }), comment)
            // What is decided without an event, such as whose a token is, is known from the next event on.
            let size = try shop.ledger.log.head().size
            if snapshots[size] == nil { snapshots[size] = now }
        }
        for (size, snapshot) in snapshots {
            for (name, purchases) in snapshot {
                #expect(try shop.purchases(of: name, knownAt: size) == purchases, comment)
            }
        }
    }

    /// Where the rules let it: customers known by their tokens, postings by their apps.
    @Test func `when a purchase arrives, and how often, decides nothing about whose it is`() async throws {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        for run in 0..<(TestEnvironment.isLong ? 60 : 6) {
            let catalog = (1...4).flatMap { id in
                (1...3).map { number in
                    Purchase(
                        "\(id)", number: number,
                        token: [nil, token("a"), token("b")].randomElement(using: &random) ?? nil)
                }
            }
            let postings = (0..<6).map { _ in
                (catalog.randomElement(using: &random) ?? catalog[0], Self.names.randomElement(using: &random) ?? "")
            }
            var answers: Set<[String: [String]]> = []
            for _ in 0..<4 {
                let shop = try TestLedger()
                // Everybody is met first: a token says nothing of somebody nobody knows.
                for (index, name) in Self.names.enumerated() {
                    try await shop.post(Purchase("9\(index)"), customerId: name, by: .app)
                }
                var arrivals = (catalog + catalog.prefix(4)).shuffled(using: &random)[...]
                for (purchase, name) in postings {
                    for _ in 0..<Int.random(in: 0...4, using: &random) {
                        if let arrival = arrivals.popFirst() { try await shop.ingest(arrival) }
                    }
                    try await shop.post(purchase, customerId: name, by: .app)
                }
                for arrival in arrivals { try await shop.ingest(arrival) }
                answers.insert(
                    try Dictionary(uniqueKeysWithValues: Self.names.map { ($0, try shop.purchases(of: $0)) }))
            }
            #expect(answers.count == 1, "SUBLEDGER_SEED=\(TestEnvironment.seed), run \(run)")
        }
    }
}
