import AppStoreSimulation
import EventLog
import LedgerAPI
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

/// Random postings, identifications, merges, transfers, arrivals and restarts. Each answer is compared with the
/// model's.
struct CustomerModelTests {
    private static let names = ["alice", "bob", token("a"), token("b")]
    private static let tokens = [nil, nil, nil, token("a"), token("b"), token("e"), token("f")]
    private static let accounts = [1: "701", 2: "701", 4: "702", 5: "703"]

    @Test(arguments: Rules.Customers.ClaimConflict.allCases)
    func `answers are those of the rules, at every size, across restarts`(
        rule: Rules.Customers.ClaimConflict
    ) async throws {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        var counts: [String: Int] = [:]
        for run in 0..<(TestEnvironment.isLong ? 200 : 15) {
            let comment = Comment(rawValue: "SUBLEDGER_SEED=\(TestEnvironment.seed), run \(run)")
            var game = try Game(rule, &random, comment)
            for _ in 0..<40 { try await game.step(&random, &counts) }
            try game.compareSnapshots()
            try game.compareRebuiltFeed()
        }
        print("customers, \(rule):", counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
        for what in Game.happenings { #expect(counts[what, default: 0] > 0, "\(what) never happened") }
    }

    /// A ledger and its model.
    private struct Game {
        static let happenings = [
            "linked", "refused", "adopted", "anonymous", "identified", "twoKnown", "merged", "unmerged", "transferred",
            "ingested", "restarted", "conflict", "row linked", "row unlinked", "row merged", "row unmerged",
            "row transferred",
        ]

        let shop: TestLedger
        var model: CustomerModel
        let catalog: [Purchase]
        let comment: Comment
        var snapshots: [UInt64: [String: [String]]] = [:]
        var lastMerge: (from: String, into: String)?
        /// The owners of each key according to the feed rows read so far.
        var followed: [String: [String]] = [:]
        var cursor: TransitionCursor?

        init(_ rule: Rules.Customers.ClaimConflict, _ random: inout SeededGenerator, _ comment: Comment) throws {
            shop = try TestLedger(claimConflict: rule)
            model = CustomerModel(rule: rule)
            self.comment = comment
            var catalog: [Purchase] = []
            for id in 1...6 {
                for number in 1...3 {
                    for copy in 1...3 {
                        catalog.append(
                            Purchase(
                                "\(id)", number: number, copy: copy,
                                token: id > 4 ? nil : CustomerModelTests.tokens.randomElement(using: &random) ?? nil,
                                isFamilyShared: id == 5, account: CustomerModelTests.accounts[id]))
                    }
                }
            }
            self.catalog = catalog
        }

        mutating func step(_ random: inout SeededGenerator, _ counts: inout [String: Int]) async throws {
            let purchase = catalog.randomElement(using: &random) ?? catalog[0]
            let name = names.randomElement(using: &random) ?? "alice"
            let other = names.randomElement(using: &random) ?? "alice"
            let handle = model.handles.keys.sorted().randomElement(using: &random)
            let caller = [Caller.app, .backend].randomElement(using: &random) ?? .app
            switch Int.random(in: 0..<30, using: &random) {
            case 0..<9: counts[try await post(purchase, for: name, by: caller), default: 0] += 1
            case 9..<11:
                if let handle {
                    let outcome = try await shop.post(purchase, handle: handle, by: caller)
                    #expect(outcome.refused.isEmpty != model.post(purchase, handle: handle, by: caller.role), comment)
                    counts["anonymous", default: 0] += 1
                }
            case 11..<13: counts[try await postUnnamed(purchase, by: caller), default: 0] += 1
            case 13..<15:
                // Two postings from devices with Apple accounts; if they share one, the second is taken for the first.
                let device = catalog.filter { $0.account != nil && $0.ownToken == nil }
                for purchase in [device.randomElement(using: &random), device.randomElement(using: &random)] {
                    guard let purchase else { continue }
                    counts[try await postUnnamed(purchase, by: caller), default: 0] += 1
                }
            case 15..<17:
                guard let handle else { break }
                let admin = [Caller.backend, .admin].randomElement(using: &random) ?? .admin
                let merging = Bool.random(using: &random)
                let isExpected = model.identify(name, handle: handle, merging: merging, by: admin.role)
                let answer = try? await shop.ledger.identify(name, handle: handle, merge: merging, by: admin)
                #expect((answer != nil) == isExpected, comment)
                counts[isExpected ? "identified" : "twoKnown", default: 0] += 1
            case 17..<19:
                let isExpected = model.merge(other, into: name)
                let answer = try? await shop.ledger.merge(
                    .id(other), into: name, by: .admin, scope: CustomerScope(), source: .operator)
                #expect((answer != nil) == isExpected, comment)
                if answer?.merged != nil {
                    counts["merged", default: 0] += 1
                    lastMerge = (other, name)
                }
            case 19..<21:
                let (other, name) = lastMerge ?? (other, name)
                let isExpected = model.unmerge(other, from: name)
                let answer = try? await shop.ledger.unmerge(
                    .id(other), from: name, by: .admin, scope: CustomerScope(), source: .operator)
                #expect((answer != nil) == isExpected, comment)
                if isExpected { counts["unmerged", default: 0] += 1 }
            case 21:
                guard let id = model.ids.randomElement(using: &random), Int.random(in: 0..<3, using: &random) > 0
                else { break }
                model.transfer(id, to: name)
                _ = try await shop.ledger.transfer(
                    SubscriptionSelector(originalTransactionId: id), to: name, by: .admin, scope: CustomerScope(),
                    source: .operator)
                counts["transferred", default: 0] += 1
            case 22..<28:
                try await shop.ingest(purchase)
                model.ingest(purchase)
                counts["ingested", default: 0] += 1
            default:
                try shop.reopen()
                counts["restarted", default: 0] += 1
            }
            try compare(&random, &counts)
        }

        private mutating func post(
            _ purchase: Purchase, for name: String, by caller: Caller
        ) async throws -> String {
            let outcome = try await shop.post(purchase, customerId: name, by: caller)
            let isRefused = model.post(purchase, for: name, by: caller.role)
            #expect(outcome.refusedCodes == (isRefused ? ["link_refused"] : []), comment)
            let all = model.purchases(of: name, at: TestLedger.now.milliseconds)
            // An app receives an answer about its posted purchase only.
            let expected = caller.role == .app ? all.filter { $0 == purchase.id } : all
            #expect(try outcome.answer.purchases == expected, comment)
            return isRefused ? "refused" : "linked"
        }

        private mutating func postUnnamed(_ purchase: Purchase, by caller: Caller) async throws -> String {
            let candidates = model.anonymousOwners(of: purchase.account)
            let outcome = try await shop.post(purchase, by: caller)
            let given = try #require(outcome.customer?.handle)
            if candidates.isEmpty {
                #expect(model.handles[given] == nil, comment)
                model.newcomer(handle: given)
            } else {
                #expect(model.handles[given].map(candidates.contains) == true, comment)
            }
            #expect(outcome.refused.isEmpty != model.post(purchase, handle: given, by: caller.role), comment)
            return candidates.isEmpty ? "anonymous" : "adopted"
        }

        private mutating func compare(_ random: inout SeededGenerator, _ counts: inout [String: Int]) throws {
            var now: [String: [String]] = [:]
            let past = TestLedger.now.advanced(
                byMilliseconds: -86_400_000 + Int64.random(in: -2...12, using: &random) * 1_000_000)
            for name in names {
                let owned = try shop.purchases(of: name)
                #expect(owned == model.purchases(of: name, at: TestLedger.now.milliseconds), "\(name), \(comment)")
                now[name] = owned
                let before = try shop.purchases(of: name, asOf: past)
                #expect(before == model.purchases(of: name, at: past.milliseconds), "\(name), \(comment)")
                let conflicts = try shop.conflicts(of: name).sorted()
                #expect(conflicts == model.conflicts(of: name).sorted(), "\(name), \(comment)")
                counts["conflict", default: 0] += conflicts.count
            }
            // A decision without an event, such as the customer of a token, is known from the next event on.
            let size = try shop.ledger.reader.log.size()
            if snapshots[size] == nil { snapshots[size] = now }
            if Bool.random(using: &random) { try compareFeed(&counts) }
        }

        /// Compares the model with a follower of the feed, which gives each key to the customers in its newest row.
        private mutating func compareFeed(_ counts: inout [String: Int]) throws {
            for row in try shop.transitions(after: &cursor) {
                let id = try #require(try row.after.view["originalTransactionId"]?.string)
                followed[id] = row.customers
                for word in row.change { counts["row \(word)", default: 0] += 1 }
            }
            for name in names {
                let given = followed.filter { $0.value.contains(name) }.map(\.key).sorted()
                #expect(
                    given == model.purchases(of: name, at: TestLedger.now.milliseconds), "feed, \(name), \(comment)")
            }
        }

        /// Compares the feed that followed the log with one that is built from all events at once.
        func compareRebuiltFeed() throws {
            let feed = try shop.ledger.transitions()
            try feed.advance()
            let followed = try feed.storedRows()
            try feed.rebuild()
            try feed.advance()
            let isRebuiltSame = try feed.storedRows() == followed
            #expect(isRebuiltSame, comment)
        }

        func compareSnapshots() throws {
            for (size, snapshot) in snapshots {
                for (name, purchases) in snapshot {
                    #expect(try shop.purchases(of: name, knownAt: size) == purchases, "\(name) at \(size), \(comment)")
                }
            }
        }
    }

    /// The cases in which the rules guarantee it: customers known by their tokens, purchases posted by apps.
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
                // Each customer has a purchase first: an app's refused claim creates no customer.
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
