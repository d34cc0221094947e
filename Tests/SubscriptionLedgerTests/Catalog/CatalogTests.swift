import EventLog
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `A change of the catalogue` {
    private static let text = """
        version: 1
        bundleId: com.example.app
        groups: [{id: g}]
        products: [{id: pro, type: autoRenewable, group: g, duration: P1M, entitlements: [pro]}]  # all of them
        """

    @Test func `is an event with the text of the file and its digest`() async throws {
        let shop = try TestLedger()
        let answer = try await shop.apply(Self.text)
        #expect(answer.applied == true && answer.knownAt == 1)
        let record = try #require(try shop.events().first)
        #expect(record.kind == .catalogChanged && record.artifact == .yaml && record.trust == .own)
        #expect(record.source == .operator && record.environment == .none)
        let digest = Digest.sha256(of: Self.text.utf8)
        #expect(
            String(decoding: record.body, as: UTF8.self)
                == #"{"bundleId":"com.example.app","digest":"\#(digest.hex)"}"#)
        #expect(try shop.reader.evidence(at: 0)?.bytes == Array(Self.text.utf8))
        let row = try #require(answer.catalogs.first)
        #expect(row.digest == digest && row.position == 0 && row.appliedAt == TestLedger.now)
        #expect(row.catalog == (try Catalog(yaml: Self.text, file: "f")).json)
    }

    @Test func `counts in every answer that knows it, also after a restart`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let size = try shop.reader.log.size()
        #expect(try shop.entitlements(of: "alice") == [])
        try await shop.apply(Self.text)
        func expectBoth() throws {
            #expect(try shop.entitlements(of: "alice") == ["pro"])
            #expect(try shop.entitlements(of: "alice", knownAt: size) == [])
            #expect(try shop.entitlements(of: "alice", knownAt: size + 1) == ["pro"])
            #expect(try shop.reader.catalogs(.size(size)).catalogs.isEmpty)
            #expect(try shop.reader.catalogs().catalogs.count == 1)
        }
        try expectBoth()
        try shop.reopen()
        try expectBoth()
        shop.close()
        try shop.openForReading()
        try expectBoth()
    }

    @Test func `to an equal catalogue is no event, and an earlier one can be applied again`() async throws {
        let shop = try TestLedger()
        let other = Self.text.replacing("[pro]", with: "[premium]")
        for (text, isEvent) in [
            (Self.text, true), (Self.text + "\n# more words", false), (other, true), (Self.text, true),
            (Self.text, false),
        ] {
            #expect(try await shop.apply(text).applied == isEvent)
        }
        #expect(try shop.events(.catalogChanged).map(\.position) == [0, 1, 2])
        // Another app has a catalogue of its own.
        #expect(try await shop.apply(Self.text.replacing("example.app", with: "example.other")).catalogs.count == 2)
    }

    @Test func `lists the products that it lacks, with the number of purchases`() async throws {
        let shop = try TestLedger()
        for id in ["1", "2"] { try await shop.ingest(Purchase(id)) }
        try await shop.ingest(Purchase("2", number: 2))
        var gift = Purchase("3")
        (gift.productId, gift.type) = ("gift", "Consumable")
        try await shop.ingest(gift)
        let text = "version: 1\nbundleId: com.example.app"
        let row = try #require(try await shop.apply(text).catalogs.first)
        #expect(
            row.unknownProducts == [
                UnknownProductRow(
                    productId: "gift", environment: "Production", type: "Consumable", group: nil,
                    originalTransactionIds: 1),
                UnknownProductRow(
                    productId: "pro", environment: "Production", type: "Auto-Renewable Subscription", group: nil,
                    originalTransactionIds: 2),
            ])
        try await shop.ingest(Purchase("4"))
        #expect(try shop.reader.catalogs().catalogs.first?.unknownProducts.last?.originalTransactionIds == 3)
        let complete = try await shop.apply(Self.text)
        #expect(complete.catalogs.first?.unknownProducts.map(\.productId) == ["gift"])
    }

    @Test func `that contradicts the log is refused with its place, and appends nothing`() async throws {
        let shop = try TestLedger()
        try await shop.ingest(Purchase("1"))
        let text = Self.text.replacing("autoRenewable, group: g, duration: P1M", with: "nonConsumable")
        let error = try await #require(throws: ConfigurationError.self) { try await shop.apply(text) }
        #expect(error.diagnosis.code == "catalog_invalid" && error.place == "catalog.yaml:4:28")
        #expect(error.diagnosis.expected == "autoRenewable" && error.diagnosis.found == "nonConsumable")
        #expect(try shop.events(.catalogChanged).isEmpty)
    }

    @Test func `passes the audit, which finds another text than that of the digest`() async throws {
        let shop = try TestLedger()
        try await shop.apply(Self.text)
        func report() async throws -> AuditReport {
            try await LedgerAudit(Ledger.Configuration(folder: shop.folder) { .latest }, LedgerAudit.Options())
                .run { _ in }
        }
        shop.close()
        #expect(try await report().firstBad == nil)
        try shop.open()
        let draft = EventDraft(
            kind: .catalogChanged, source: .operator, environment: .none, artifact: .yaml, trust: .own,
            idempotencyKey: IdempotencyKey(1), evidence: Evidence(bytes: Array("version: 1".utf8)),
            verifiedAt: TestLedger.now,
            body: Array(#"{"bundleId":"com.example.app","digest":"\#(Digest.zero.hex)"}"#.utf8), attachment: nil)
        _ = try await shop.ledger.log.append([shop.ledger.log.prepare(draft)])
        shop.close()
        #expect(
            try await report().firstBad == .event(position: 1, what: "the catalogue does not match its digest"))
    }
}
