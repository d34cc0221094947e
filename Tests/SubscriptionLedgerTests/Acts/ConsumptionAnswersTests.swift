import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import EventLog
import FoundationEssentials
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Synchronization
import Testing

@Suite struct `An answer about consumption` {
    private static let start = Instant(milliseconds: SampleArtifact.signedDate)
    private static let hour = Instant.millisecondsPerHour
    private static let uuid = "7a3cf2bd-5d2b-4f0e-9f37-1c2d3e4f5a6b"

    /// A ledger with a subscription of ann's, and Apple.
    private final class World: Sendable {
        private let requests = Mutex<[ServerAPIRequest]>([])
        private let failures = Mutex<[Result<String, ServerAPIFailure>]>([])

        var sent: [String] { requests.withLock { $0.map { "\($0.path) \($0.body?.serialized() ?? "")" } } }

        func fail(_ results: Result<String, ServerAPIFailure>...) { failures.withLock { $0 += results } }

        func answers(_ ledger: FeedLedger, _ change: (inout Settings.Consumption) -> Void = { _ in })
            -> ConsumptionAnswers
        {
            var settings = Settings.Consumption()
            settings.enabled = true
            change(&settings)
            let clock = ledger.clock
            let connection = AppStoreConnection(
                CallBudget.App(bundleId: SampleArtifact.bundleId, environment: .production), within: SharedBudget(),
                clock: { clock.now }
            ) { request, _ in
                self.requests.withLock { $0.append(request) }
                let failure = self.failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                let text = try failure?.get() ?? ""
                return try ServerAPIReply.read(Array(text.utf8), status: text.isEmpty ? 202 : 400, of: request)
            }
            return ConsumptionAnswers(ledger.ledger, [connection], settings)
        }
    }

    private static func ledger(_ changes: SampleArtifact.Changes = [:]) async throws -> FeedLedger {
        let ledger = try FeedLedger(at: start)
        _ = try await ledger.ledger.post(
            TransactionPosting(signedTransactions: [transaction(changes).text], customerId: "ann"), by: .backend)
        return ledger
    }

    private static func transaction(_ changes: SampleArtifact.Changes = [:]) -> SignedJWS {
        var fields: SampleArtifact.Changes = ["environment": .string("Production")]
        for (name, value) in changes { fields[name] = value }
        return SampleArtifact.transaction(fields)
    }

    private static func consent(_ ledger: FeedLedger, _ isGiven: Bool = true, of id: String = "ann") async throws {
        _ = try await ledger.ledger.record(consumptionConsent: isGiven, of: id, by: .backend, source: .http)
    }

    /// Apple's request, signed now.
    private static func request(
        _ ledger: FeedLedger, uuid: String = uuid, _ changes: SampleArtifact.Changes = [:]
    ) async throws {
        let data = JSONValue.object([
            .init("bundleId", .string(SampleArtifact.bundleId)), .init("environment", .string("Production")),
            .init("appAppleId", .integer(1_234_567_890)),
            .init("signedTransactionInfo", .string(transaction(changes).text)),
            .init("consumptionRequestReason", .string("UNINTENDED_PURCHASE")),
        ])
        try await ledger.append(
            SampleArtifact.notification([
                "notificationType": .string("CONSUMPTION_REQUEST"), "subtype": nil, "data": data,
                "notificationUUID": .string(uuid), "signedDate": .integer(ledger.clock.now.milliseconds),
            ]).compact)
    }

    private static func outcomes(_ ledger: FeedLedger) throws -> [String] {
        try (0..<ledger.ledger.reader.knownSize(nil)).compactMap { position in
            try ledger.ledger.reader.log.record(at: position)
        }
        .filter { $0.kind == .actAnswered }
        .map { record in
            let body = try JSONDocument(parsing: record.body).root
            return [body["outcome"]?.string, body["code"]?.string].compactMap(\.self).joined(separator: " ")
        }
    }

    private static let path = "/inApps/v2/transactions/consumption/2000000000000002"

    @Test func `is sent once, with what the rules say, for a customer who consented`() async throws {
        let (ledger, world) = (try await Self.ledger(), World())
        try await Self.consent(ledger)
        try await Self.request(ledger)
        let answers = world.answers(ledger)
        #expect(try await answers.round() == 1)
        let body = #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false}"#
        #expect(world.sent == ["\(Self.path) \(body)"])
        #expect(try Self.outcomes(ledger) == ["accepted"])
        try await Self.request(ledger)
        #expect(try await answers.round() == 0, "a retry of the same notification")
        ledger.clock.now = Self.start.advanced(byMilliseconds: Self.hour)
        #expect(try await world.answers(ledger).round() == 0, "after a restart")
        try await Self.request(ledger, uuid: "00000000-0000-4000-8000-000000000001")
        #expect(try await answers.round() == 1, "the customer asked again")
    }

    @Test func `has no percentage, and a preference that fits the purchase`() async throws {
        for (type, preference, expected) in [
            ("Auto-Renewable Subscription", .grantProrated, #","refundPreference":"GRANT_PRORATED""#),
            ("Auto-Renewable Subscription", .decline, #","refundPreference":"DECLINE""#),
            ("Consumable", .grantProrated, ""), ("Consumable", .grantFull, #","refundPreference":"GRANT_FULL""#),
        ] as [(String, Settings.Consumption.RefundPreference, String)] {
            let changes: SampleArtifact.Changes = ["type": .string(type)]
            let (ledger, world) = (try await Self.ledger(changes), World())
            try await Self.consent(ledger)
            try await Self.request(ledger, changes)
            let answers = world.answers(ledger) {
                ($0.refundPreference, $0.sampleContentProvided) = (preference, true)
            }
            #expect(try await answers.round() == 1)
            let body =
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":true\#(expected)}"#
            #expect(world.sent == ["\(Self.path) \(body)"])
        }
    }

    @Test func `names a free trial before the purchase as a sample`() async throws {
        let (ledger, world) = (try await Self.ledger(), World())
        try await Self.consent(ledger)
        try await ledger.append(
            Self.transaction([
                "transactionId": .string("2000000000000001"), "offerType": .integer(1),
                "offerDiscountType": .string("FREE_TRIAL"),
                "purchaseDate": .integer(Self.start.milliseconds - 8 * Instant.millisecondsPerDay),
                "expiresDate": .integer(Self.start.milliseconds - 340_000),
            ]).compact)
        try await Self.request(ledger)
        _ = try await world.answers(ledger).round()
        #expect(world.sent.first?.contains(#""sampleContentProvided":true"#) == true)
    }

    @Test func `waits for the consent, and heeds its withdrawal`() async throws {
        let (ledger, world) = (try await Self.ledger(), World())
        try await Self.request(ledger)
        let answers = world.answers(ledger)
        #expect(try await answers.round() == 0)
        try await Self.consent(ledger, of: "someone else")
        #expect(try await answers.round() == 0)
        try await Self.consent(ledger)
        try await Self.consent(ledger, false)
        #expect(try await answers.round() == 0)
        #expect(await answers.openRequests == 1)
        try await Self.consent(ledger)
        #expect(try await answers.round() == 1)
        #expect(world.sent.count == 1)
    }

    @Test func `counts the consent of a customer that was merged`() async throws {
        let (ledger, world) = (try await Self.ledger(), World())
        try await Self.consent(ledger, of: "ann's other id")
        _ = try await ledger.ledger.merge(
            .id("ann's other id"), into: "ann", by: .admin, scope: CustomerScope(), source: .operator)
        try await Self.request(ledger)
        #expect(try await world.answers(ledger).round() == 1)
    }

    @Test func `is not sent after Apple's twelve hours less a quarter`() async throws {
        let (ledger, world) = (try await Self.ledger(), World())
        try await Self.request(ledger)
        let answers = world.answers(ledger)
        #expect(try await answers.round() == 0)
        ledger.clock.now = Self.start.advanced(byMilliseconds: 12 * Self.hour - 15 * 60_000 + 1)
        try await Self.consent(ledger)
        #expect(try await answers.round() == 0)
        #expect(try Self.outcomes(ledger) == ["late consumption_late"])
        #expect(world.sent.isEmpty)
        #expect(await answers.openRequests == 0)
    }

    @Test func `is sent again after a failure, and not after a refusal`() async throws {
        let (ledger, world) = (try await Self.ledger(), World())
        try await Self.consent(ledger)
        try await Self.request(ledger)
        world.fail(
            .failure(.unavailable(found: "status 503")),
            .success(#"{"errorCode":4040004,"errorMessage":"again"}"#),
            .success(#"{"errorCode":4000035,"errorMessage":"Invalid customer consented."}"#))
        let answers = world.answers(ledger)
        for _ in 0..<6 {
            _ = try await answers.round()
            ledger.clock.now = ledger.clock.now.advanced(byMilliseconds: 60_000)
        }
        #expect(world.sent.count == 3)
        #expect(try Self.outcomes(ledger) == ["refused 4000035"])
    }

    @Test func `is sent again with the recorded information, less often each time`() async throws {
        let (ledger, world) = (try await Self.ledger(), World())
        try await Self.consent(ledger)
        try await Self.request(ledger)
        let again = Result<String, ServerAPIFailure>.success(#"{"errorCode":4040004,"errorMessage":"again"}"#)
        for _ in 0..<40 { world.fail(again) }
        let answers = world.answers(ledger)
        for _ in 0..<1_800 {
            _ = try await answers.round()
            ledger.clock.now = ledger.clock.now.advanced(byMilliseconds: 2_000)
        }
        #expect(world.sent.count == 6, "after 0, 1, 3, 7, 15 and 31 minutes")
        let restarted = world.answers(ledger) { $0.refundPreference = .decline }
        _ = try await restarted.round()
        #expect(world.sent.count == 7 && Set(world.sent).count == 1)
    }

    @Test func `is off by default`() async throws {
        let (ledger, world) = (try await Self.ledger(), World())
        try await Self.consent(ledger)
        try await Self.request(ledger)
        #expect(try await world.answers(ledger) { $0 = Settings.Consumption() }.round() == 0)
        #expect(world.sent.isEmpty)
    }

    @Test func `keeps consents through a rebuild of the facts, each change once`() async throws {
        let (ledger, world) = (try await Self.ledger(), World())
        let size = try ledger.ledger.reader.knownSize(nil)
        for isGiven in [true, true, false, false, true] { try await Self.consent(ledger, isGiven) }
        #expect(try ledger.ledger.reader.knownSize(nil) == size + 3)
        ledger.close()
        try FileManager.default.removeItem(atPath: ledger.folder.derived)
        try ledger.open()
        try await Self.request(ledger)
        #expect(try await world.answers(ledger).round() == 1)
    }
}
