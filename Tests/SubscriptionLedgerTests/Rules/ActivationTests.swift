import EventLog
import FactStore
import FoundationEssentials
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `An activation of rules` {
    /// Half an hour after the end of every purchase: the renewal is awaited for an hour by default.
    private static let overdue = TestLedger.now.advanced(byMilliseconds: 86_400_000 + 1_800_000)

    private static func reason(_ row: SubscriptionRow?) throws -> String? { try row?.json.view["reason"]?.string }

    /// The reason in each of the five answers about the purchase of alice.
    private static func reasons(_ shop: TestLedger, knownAt: UInt64? = nil) throws -> Set<String?> {
        let question = AsOfQuery(asOf: overdue, knownAt: knownAt.map(AsOfQuery.KnownAt.size))
        let selector = SubscriptionSelector(originalTransactionId: "1")
        let scope = CustomerScope()
        let states = [
            try shop.reader.state(of: selector, question)?.subscriptions.first,
            try shop.reader.state(ofCustomer: "alice", question).subscriptions.first,
        ]
        let histories = [
            try shop.reader.history(of: selector, question), try shop.reader.history(ofCustomer: "alice", question),
        ]
        let customers = [
            try shop.reader.customer("alice", question), try shop.reader.customer(owning: "1", question, scope: scope),
        ]
        return Set(
            try states.map(reason)
                + histories.map {
                    try $0?.json.view["subscriptions"]?.elements?.first?["transitions"]?.elements?.last?["reason"]?
                        .string
                }
                + customers.map { try $0?.json.view["subscriptions"]?.elements?.first?["reason"]?.string })
    }

    @Test func `is an event with its author, its time, its digest and the text of the file`() async throws {
        let shop = try TestLedger()
        let text = "access: {ownGraceDays: 3}  # as agreed\n"
        #expect(try await shop.activate(by: "alice", text: text) { $0.access.ownGraceDays = 3 })
        let record = try #require(try shop.events().first)
        var rules = Rules()
        rules.access.ownGraceDays = 3
        #expect(record.kind == .rulesActivated && record.artifact == .yaml && record.trust == .own)
        #expect(record.source == .operator && record.recordedAt == TestLedger.now)
        let body = try JSONDocument(parsing: record.body).root
        #expect(body.members.map(\.key) == ["by", "digest", "name", "rules"])
        #expect(body["by"]?.string == "alice" && body["name"]?.string == "default")
        #expect(body["digest"]?.string == rules.digest.hex)
        #expect(try shop.reader.evidence(at: 0)?.bytes == Array(text.utf8))
        let active = try shop.reader.rulesInForce()
        #expect(active.rules == rules && active.knownAt == 1)
        #expect(
            active.row
                == RulesRow(
                    name: "default", digest: rules.digest, position: 0, activatedAt: TestLedger.now, by: "alice",
                    rules: rules.json))
        let event = try #require(try shop.reader.event(at: 0, facts: true)).json.view
        #expect(event["kind"]?.string == "rulesActivated" && event["facts"]?.elements?.isEmpty == true)
        #expect(event["evidence"]?["artifact"]?.string == "yaml")
    }

    @Test func `counts in every answer that knows it, and in none that does not`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let size = try shop.reader.log.size()
        #expect(try Self.reasons(shop) == ["awaitingRenewal"])
        try await shop.activate { $0.access.renewalLeewayMinutes = 0 }
        func expectBoth() throws {
            #expect(try Self.reasons(shop) == ["unknown"])
            #expect(try Self.reasons(shop, knownAt: size) == ["awaitingRenewal"])
            #expect(try Self.reasons(shop, knownAt: size + 1) == ["unknown"])
            #expect(try shop.reader.rulesInForce(.size(size)).rules == Rules())
            #expect(try shop.reader.rulesInForce(.size(size)).activation == nil)
        }
        try expectBoth()
        try shop.reopen()
        try expectBoth()
        shop.close()
        try shop.openForReading()
        try expectBoth()
        shop.close()
        try FileManager.default.removeItem(atPath: shop.folder.derived)
        try shop.open()
        try expectBoth()
    }

    @Test func `is followed by a reader that was open before it`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        for minutes in [0, 60, 0] {
            try await shop.activate { $0.access.renewalLeewayMinutes = minutes }
            #expect(try Self.reasons(shop) == [minutes == 0 ? "unknown" : "awaitingRenewal"])
        }
    }

    @Test func `gives way to the rules that a question names`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        try await shop.activate { $0.access.renewalLeewayMinutes = 0 }
        var question = AsOfQuery(asOf: Self.overdue)
        question.rules = Rules()
        let answer = try shop.reader.state(ofCustomer: "alice", question)
        #expect(try Self.reason(answer.subscriptions.first) == "awaitingRenewal")
        #expect(try Self.reasons(shop) == ["unknown"])
    }

    @Test func `of active rules is no event, and earlier rules can be activated again`() async throws {
        let shop = try TestLedger()
        #expect(try await !shop.activate { _ in })
        for (days, isEvent) in [(3, true), (3, false), (0, true), (3, true), (3, false)] {
            #expect(try await shop.activate { $0.access.ownGraceDays = days } == isEvent)
        }
        try shop.reopen()
        #expect(try await !shop.activate(by: "another", text: "# other text") { $0.access.ownGraceDays = 3 })
        #expect(try shop.events(.rulesActivated).map(\.position) == [0, 1, 2])
    }

    @Test func `that races with the same one is one event`() async throws {
        let shop = try TestLedger()
        var rules = Rules()
        rules.access.ownGraceDays = 3
        let ledger = shop.ledger
        let appended = try await withThrowingTaskGroup(of: Bool.self) { [rules] group in
            for _ in 0..<8 {
                group.addTask { try await ledger.activate(rules, text: "", by: "ops").isAppended }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(appended == 1)
        #expect(try shop.events().count == 1)
    }

    @Test(arguments: ["", "a\nb", String(repeating: "a", count: 101)])
    func `without a proper author is refused`(by: String) async throws {
        let shop = try TestLedger()
        await #expect(throws: InvalidActivator.self) {
            try await shop.activate(by: by) { $0.access.ownGraceDays = 3 }
        }
        #expect(try shop.events().isEmpty)
    }

    @Test func `decides the claims of later postings`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        #expect(try await shop.post(Purchase("1"), customerId: "bob").refusedCodes == ["link_refused"])
        try await shop.activate { $0.customers.claimConflict = .share }
        #expect(try await shop.post(Purchase("1"), customerId: "bob").refusedCodes == [])
        #expect(try shop.purchases(of: "alice") == ["1"])
        #expect(try shop.purchases(of: "bob") == ["1"])
        let size = try shop.reader.log.size()
        try await shop.activate { $0.customers.claimConflict = .move }
        #expect(try shop.purchases(of: "alice") == [])
        #expect(try shop.purchases(of: "alice", knownAt: size) == ["1"])
    }

    @Test func `that changes an owner makes a row of the feed, and later ones do not repeat it`() async throws {
        let shop = try TestLedger()
        try await shop.activate { $0.customers.claimConflict = .move }
        for id in ["alice", "bob"] { try await shop.post(Purchase("1"), customerId: id) }
        var cursor: TransitionCursor?
        #expect(try shop.transitions(after: &cursor).last?.customers == ["bob"])
        try await shop.activate { $0.customers.claimConflict = .keepFirst }
        let rows = try shop.transitions(after: &cursor)
        #expect(rows.map(\.customers) == [["alice"]])
        #expect(rows.map(\.change) == [["linked", "unlinked"]])
        #expect(rows.map(\.cause) == ["rulesActivated"])
        try await shop.activate { ($0.customers.claimConflict, $0.access.ownGraceDays) = (.keepFirst, 3) }
        #expect(try shop.transitions(after: &cursor).isEmpty)
    }

    @Test func `passes the audit, and a backup has it`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let text = String(repeating: "# a long comment\n", count: 20_000)
        try await shop.activate(text: text) { $0.access.renewalLeewayMinutes = 0 }
        try await shop.activate(text: "") { $0.access.renewalLeewayMinutes = 5 }
        try await shop.activate(text: text) { $0.access.renewalLeewayMinutes = 0 }
        let path = shop.folder.path + "-copy"
        try LedgerBackup(of: shop.ledger.reader, withSecrets: true).copy(to: path) { _, _ in }
        shop.close()
        let copy = try TestLedger(at: DataFolder(path: path), like: shop)
        let active = try copy.reader.rulesInForce()
        #expect(active.rules.access.renewalLeewayMinutes == 0 && active.activation?.by == "ops")
        #expect(try Self.reasons(copy) == ["unknown"])
        let position = try #require(active.activation?.position)
        #expect(try copy.reader.evidence(at: position)?.bytes == Array(text.utf8))
        copy.close()
        for folder in [shop.folder, copy.folder] {
            var options = LedgerAudit.Options()
            options.deep = true
            let audit = LedgerAudit(Ledger.Configuration(folder: folder) { .latest }, options)
            let report = try await audit.run { _ in }
            #expect(report.firstBad == nil && report.events == position + 1)
        }
    }

    /// Appends an activation that this version would not append.
    private static func forge(_ shop: TestLedger, rules: String, digest: Digest) async throws {
        let draft = EventDraft(
            kind: .rulesActivated, source: .operator, environment: .none, artifact: .yaml, trust: .own,
            idempotencyKey: IdempotencyKey(1), verifiedAt: TestLedger.now,
            body: Array(#"{"by":"ops","digest":"\#(digest.hex)","name":"a","rules":\#(rules)}"#.utf8),
            attachment: IndexedFacts(bytes: [], terms: [.rulesActivations]))
        _ = try await shop.ledger.log.append([shop.ledger.log.prepare(draft)])
    }

    @Test func `whose rules do not have its digest is found by the audit, and answers nothing`() async throws {
        let shop = try TestLedger()
        try await Self.forge(shop, rules: #"{"name":"a","version":1}"#, digest: .zero)
        #expect(throws: StorageError.self) { try shop.reader.rulesInForce() }
        shop.close()
        let audit = LedgerAudit(Ledger.Configuration(folder: shop.folder) { .latest }, LedgerAudit.Options())
        let report = try await audit.run { _ in }
        #expect(report.firstBad == .event(position: 0, what: "the rules do not match their digest"))
    }

    @Test func `of rules that only a later version knows is not answered under other rules`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1"))
        let rules = #"{"name":"a","refunds":{"days":60},"version":1}"#
        try await Self.forge(shop, rules: rules, digest: .sha256(of: rules.utf8))
        let error = try #require(throws: StorageError.self) { try shop.customer("alice") }
        #expect(error.code == .versionUnknown)
        #expect(try shop.customer("alice", knownAt: 1).purchases == [])
    }
}
