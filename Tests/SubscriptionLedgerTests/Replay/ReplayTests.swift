import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `A replay` {
    private static let id = "2000000000000001"
    private let scratch: ScratchLedger

    init() async throws {
        scratch = try ScratchLedger(
            trust: TrustPolicy(
                apps: [TrustPolicy.App(bundleId: SampleArtifact.bundleId, appAppleId: nil)],
                configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)]))
        let (signed, end) = (SampleArtifact.signedDate, JSONValue.integer(1_900_000_000_000))
        let other = SampleArtifact.transaction([
            "transactionId": .string("7"), "originalTransactionId": .string("7"), "expiresDate": end,
        ])
        try await scratch.ingest([
            SampleArtifact.transaction(["expiresDate": end]).compact, other.compact,
            SampleArtifact.renewalInfo(["autoRenewStatus": .integer(0), "signedDate": .integer(signed + 1_000)])
                .compact,
            SampleArtifact.transaction([
                "expiresDate": end, "signedDate": .integer(signed + 2_000),
                "revocationDate": .integer(signed + 1_500), "revocationReason": .integer(1),
            ]).compact,
        ])
    }

    private var reader: LedgerReader { scratch.ledger.reader }

    @Test func `has the state after each event about the subscription, and what it changed`() throws {
        let rows = try #require(try reader.replay(of: SubscriptionSelector(originalTransactionId: Self.id))).rows
        #expect(rows.map(\.position) == [0, 2, 3])
        #expect(rows.map { $0.state?.status } == ["active", "active", "revoked"])
        #expect(rows.map { $0.state?.entitled } == [true, true, false])
        #expect(rows[0].changed.contains("productId") && rows[0].changed.contains("status"))
        #expect(rows[1].changed.contains("willRenew") && !rows[1].changed.contains("status"))
        #expect(Set(["status", "entitled", "revokedAt"]).isSubset(of: rows[2].changed))
        #expect(rows[0].recordedAt < rows[1].recordedAt)
        let unknown = try reader.replay(of: SubscriptionSelector(originalTransactionId: "9"))
        #expect(unknown?.rows.count == nil)
    }

    @Test func `of a range has the keys of its events alone, against the event before`() throws {
        let rows = try reader.replay(in: 1..<3, scope: nil).rows
        #expect(rows.map(\.position) == [1, 2] && rows.map(\.id.originalTransactionId) == ["7", Self.id])
        #expect(rows[0].changed.contains("productId") && rows[1].changed.contains("willRenew"))
        #expect(!rows[1].changed.contains("productId"))
        #expect(try reader.replay(in: 1..<3, scope: CustomerScope(environment: .production)).rows.isEmpty)
        #expect(try reader.replay(in: 0..<UInt64.max, scope: nil).rows.count == 4)
    }

    @Test func `of the ledger's own acts names who caused them`() async throws {
        var rules = Rules()
        rules.access.ownGraceDays = 3
        _ = try await scratch.ledger.activate(rules, text: "access: {ownGraceDays: 3}\n", by: "anna")
        func acts(_ name: String? = nil, from: Position = 0) throws -> [JSONView] {
            var rows: [JSONView] = []
            try reader.forEachAct(from: from, by: name) {
                rows.append(try JSONDocument(parsing: Array($0.serialized().utf8)).root)
            }
            return rows
        }
        let row = try #require(try acts().first)
        #expect(try acts().count == 1 && row["position"]?.integer == 4 && row["name"]?.string == "anna")
        #expect(row["kind"]?.string == "rulesActivated" && row["body"]?["rules"] == nil)
        #expect(try acts("anna").count == 1 && acts("bob").isEmpty && acts(from: 5).isEmpty)
    }
}
