import AppStoreSimulation
import AppStoreVerification
import LedgerAPI
import Primitives
import SubscriptionLedger
import Testing

/// The notification and the purchase that a row of the log names.
struct EventAboutTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let artifact: SignedJWS
        /// The values of `notificationType`, `subtype`, `originalTransactionId`, `transactionId`, `productId` and
        /// `deadline`; nil for a row that names neither.
        let about: [String?]?

        init(_ what: String, _ artifact: SignedJWS, _ about: [String?]?) {
            testDescription = what
            self.artifact = artifact
            self.about = about
        }
    }

    private static let app: [JSONValue.Member] = [
        .init("bundleId", .string(SampleArtifact.bundleId)), .init("environment", .string("Sandbox")),
    ]

    private static func notification(
        _ type: String, _ subtype: JSONValue? = nil, part: String, _ members: [JSONValue.Member] = []
    ) -> SignedJWS {
        var changes: SampleArtifact.Changes = [
            "notificationType": .string(type), "subtype": subtype, "data": nil as JSONValue?,
        ]
        changes[part] = .object(app + members)
        return SampleArtifact.notification(changes)
    }

    private static let appTransaction = SampleArtifact.signer.sign(
        .object([
            .init("receiptType", .string("Sandbox")), .init("bundleId", .string(SampleArtifact.bundleId)),
            .init("receiptCreationDate", .integer(SampleArtifact.signedDate)),
        ]))

    /// Artifacts signed at 2026-01-15T11:59:00Z.
    static let cases: [Case] = [
        Case(
            "a purchase", SampleArtifact.notification(),
            ["SUBSCRIBED", "INITIAL_BUY", "2000000000000001", "2000000000000002", "pro", nil]),
        Case(
            "a request for consumption information",
            SampleArtifact.notification([
                "notificationType": .string("CONSUMPTION_REQUEST"), "subtype": nil as JSONValue?,
            ]),
            ["CONSUMPTION_REQUEST", nil, "2000000000000001", "2000000000000002", "pro", "2026-01-15T23:59:00.000Z"]),
        Case(
            "a type of tomorrow",
            SampleArtifact.notification(["notificationType": .string("OF_TOMORROW"), "subtype": .string("NEW")]),
            ["OF_TOMORROW", "NEW", "2000000000000001", "2000000000000002", "pro", nil]),
        Case(
            "renewal info without a transaction",
            notification(
                "DID_CHANGE_RENEWAL_STATUS", .string("AUTO_RENEW_DISABLED"), part: "data",
                [.init("signedRenewalInfo", .string(SampleArtifact.renewalInfo().text))]),
            ["DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", "2000000000000001", nil, "pro", nil]),
        Case("a test", notification("TEST", part: "data"), ["TEST", nil, nil, nil, nil, nil]),
        Case(
            "the summary of an extension",
            notification(
                "RENEWAL_EXTENSION", .string("SUMMARY"), part: "summary", [.init("productId", .string("pro"))]),
            ["RENEWAL_EXTENSION", "SUMMARY", nil, nil, "pro", nil]),
        Case(
            "a withdrawn consent", notification("RESCIND_CONSENT", part: "appData"),
            ["RESCIND_CONSENT", nil, nil, nil, nil, nil]),
        Case(
            "empty strings", SampleArtifact.notification(["subtype": .string("")]),
            ["SUBSCRIBED", nil, "2000000000000001", "2000000000000002", "pro", nil]),
        Case(
            "a transaction", SampleArtifact.transaction(),
            [nil, nil, "2000000000000001", "2000000000000002", "pro", nil]),
        Case("renewal info", SampleArtifact.renewalInfo(), [nil, nil, "2000000000000001", nil, "pro", nil]),
        Case("an app transaction", appTransaction, nil),
    ]

    @Test(arguments: cases)
    func `a row names what its event concerns`(of row: Case) async throws {
        let scratch = try ScratchLedger(
            trust: TrustPolicy(
                apps: [TrustPolicy.App(bundleId: SampleArtifact.bundleId)],
                configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)]))
        try await scratch.ingest([row.artifact.compact])
        let about = try #require(try scratch.ledger.reader.event(at: 0, facts: false)).json.view["about"]
        guard let expected = row.about else {
            #expect(about?.isNull == true)
            return
        }
        let names = ["notificationType", "subtype", "originalTransactionId", "transactionId", "productId", "deadline"]
        #expect(about?.members.map(\.key) == names)
        #expect(about?.members.map(\.value.string) == expected)
    }

    @Test func `a link names its purchase, a merge none`() async throws {
        let shop = try TestLedger()
        let posted = try await shop.post(Purchase("1"), by: .app)
        let link = try #require(try shop.ledger.reader.event(at: 1, facts: false))
        #expect(link.kind == "customerLinked")
        #expect(link.about == EventRow.About(originalTransactionId: "1"))
        let handle = try #require(try posted.answer["handle"]?.string)
        _ = try await shop.ledger.identify("alice", handle: handle, by: .backend)
        let merge = try #require(try shop.ledger.reader.event(at: 2, facts: false))
        #expect(merge.kind == "customersMerged")
        #expect(merge.about == nil)
    }
}
