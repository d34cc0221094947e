import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import FoundationEssentials
import Ingestion
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger
import SubscriptionStatus
import Testing

@Suite struct `An answer of the App Store Server API` {
    private static let id = "2000000000000001"
    private static let asOf = Instant(milliseconds: SampleArtifact.signedDate)
    private static let question = ServerAPIQuestion(
        .subscriptionStatuses, target: "/inApps/v1/subscriptions/\(id)", bundleId: SampleArtifact.bundleId,
        environment: .sandbox)

    private static func scratch() throws -> ScratchLedger {
        try ScratchLedger(
            trust: TrustPolicy(
                apps: [TrustPolicy.App(bundleId: SampleArtifact.bundleId, appAppleId: 1_234)],
                configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)]))
    }

    private static func statuses(
        _ items: [(status: Int64, transaction: String?, renewalInfo: String?)], id: String = id,
        bundleId: String = SampleArtifact.bundleId, environment: String = "Sandbox", appAppleId: Int64? = nil
    ) -> [UInt8] {
        let rows = items.map { item in
            JSONValue.object(
                [
                    .init("originalTransactionId", .string(id)), .init("status", .integer(item.status)),
                    item.transaction.map { .init("signedTransactionInfo", .string($0)) },
                    item.renewalInfo.map { .init("signedRenewalInfo", .string($0)) },
                ].compactMap(\.self))
        }
        let group = JSONValue.object(["subscriptionGroupIdentifier": .string("1"), "lastTransactions": .array(rows)])
        var members: [JSONValue.Member] = [
            .init("environment", .string(environment)), .init("bundleId", .string(bundleId)),
            .init("data", .array([group])),
        ]
        if let appAppleId { members.append(.init("appAppleId", .integer(appAppleId))) }
        return Array(JSONValue.object(members).serialized().utf8)
    }

    private static func answer(_ scratch: ScratchLedger, at instant: Instant = asOf) throws -> String {
        try #require(
            try scratch.ledger.reader.state(
                of: SubscriptionSelector(originalTransactionId: id), AsOfQuery(asOf: instant))
        ).json.apartFromPositions
    }

    private let transaction = SampleArtifact.transaction()
    private let renewalInfo = SampleArtifact.renewalInfo()

    @Test func `gives the facts of its signed parts, as if each had been posted, also after a rebuild`() async throws {
        let scratch = try Self.scratch()
        let bytes = Self.statuses([(1, transaction.text, renewalInfo.text)], appAppleId: 1_234)
        guard
            case .recorded(let event, let refused) = try await scratch.ledger.record(
                bytes, to: Self.question, source: .poll)
        else {
            Issue.record("it was refused")
            return
        }
        #expect(event.isAppended && refused.isEmpty)
        let posted = try Self.scratch()
        try await posted.ingest([transaction.compact, renewalInfo.compact])
        #expect(try Self.answer(scratch) == Self.answer(posted))

        let record = try #require(try scratch.ledger.reader.log.record(at: 0))
        #expect(record.kind == .statusPolled && record.trust == .fetched && record.source == .poll)
        #expect(record.environment == .sandbox && record.verifiedAt == Self.asOf)
        #expect(try scratch.evidence() == [bytes])
        let before = try Self.answer(scratch)
        scratch.close()
        try FileManager.default.removeItem(atPath: scratch.folder.derived)
        try scratch.open()
        #expect(try Self.answer(scratch) == before)
    }

    @Test func `counts its status like that of a notification`() async throws {
        for status in [2, 3, 5, 99] as [Int64] {
            let end = SampleArtifact.signedDate + 2_600_000_000
            let late = SampleArtifact.renewalInfo([
                "signedDate": .integer(end + 1_000), "renewalDate": .integer(end), "autoRenewStatus": .integer(1),
            ])
            let polled = try Self.scratch()
            _ = try await polled.ledger.record(
                Self.statuses([(status, transaction.text, late.text)]), to: Self.question, source: .poll)
            let notified = try Self.scratch()
            let body = JSONValue.object([
                "bundleId": .string(SampleArtifact.bundleId), "environment": .string("Sandbox"),
                "signedTransactionInfo": .string(transaction.text), "signedRenewalInfo": .string(late.text),
                "status": .integer(status),
            ])
            try await notified.ingest([
                SampleArtifact.notification(["data": body, "signedDate": .integer(end + 1_000)]).compact
            ])
            let instant = Instant(milliseconds: end + 2_000)
            #expect(try Self.answer(polled, at: instant) == Self.answer(notified, at: instant), "status \(status)")
        }
    }

    @Test func `whose status names another subscription than its signed parts says nothing with it`() async throws {
        let polled = try Self.scratch()
        let end = SampleArtifact.signedDate + 2_600_000_000
        let late = SampleArtifact.renewalInfo(["signedDate": .integer(end + 1_000)])
        _ = try await polled.ledger.record(
            Self.statuses([(5, transaction.text, late.text)], id: "7"), to: Self.question, source: .poll)
        let posted = try Self.scratch()
        try await posted.ingest([transaction.compact, late.compact])
        let instant = Instant(milliseconds: end + 2_000)
        #expect(try Self.answer(polled, at: instant) == Self.answer(posted, at: instant))
    }

    @Test func `loses a bad part alone, which is kept for a retry`() async throws {
        let scratch = try Self.scratch()
        let foreign = SampleArtifact.transaction(["bundleId": .string("com.example.other")])
        let bytes = Self.statuses([(1, foreign.text, nil), (1, transaction.text, "no JWS"), (1, nil, renewalInfo.text)])
        guard
            case .recorded(_, let refused) = try await scratch.ledger.record(bytes, to: Self.question, source: .poll)
        else {
            Issue.record("it was refused")
            return
        }
        #expect(refused.map(\.code) == [.bundleMismatch, .jwsMalformed])
        #expect(
            refused.map(\.part) == [
                "data[0].lastTransactions[0].signedTransactionInfo", "data[0].lastTransactions[1].signedRenewalInfo",
            ])
        let row = try #require(try scratch.ledger.reader.event(at: 0, facts: true))
        #expect(
            row.json.apartFromPositions.contains(#""refused":{"bundle_mismatch":[0],"jws_malformed":[2]}"#))
        #expect(row.facts?.count == 4)
        #expect(try Quarantine.measure(scratch.folder.quarantine).items == 1)
        scratch.close()
        try FileManager.default.removeItem(atPath: scratch.folder.derived)
        try scratch.open()
        #expect(try scratch.ledger.reader.event(at: 0, facts: true)?.facts?.count == 4)
        #expect(try Self.answer(scratch).contains(#""transactionId":"2000000000000002""#))
    }

    @Test func `about another app or environment is refused, and its parts are kept for a retry`() async throws {
        let item: [(Int64, String?, String?)] = [(1, transaction.text, renewalInfo.text)]
        for bytes in [
            Self.statuses(item, bundleId: "com.example.other"), Self.statuses(item, environment: "Production"),
            Self.statuses(item, appAppleId: 99),
        ] {
            let scratch = try Self.scratch()
            guard
                case .refused(let refusal) = try await scratch.ledger.record(
                    bytes, to: Self.question, source: .poll)
            else {
                Issue.record("it was recorded")
                continue
            }
            #expect(refusal.code == .answerMismatch)
            #expect(try scratch.size == 0)
            #expect(try Quarantine.measure(scratch.folder.quarantine).items == 2)
        }
    }

    @Test func `is an event once`() async throws {
        let scratch = try Self.scratch()
        let error = Array(#"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#.utf8)
        let history = ServerAPIQuestion(
            .transactionHistory, target: "/inApps/v2/history/1", bundleId: SampleArtifact.bundleId,
            environment: .sandbox)
        var appended: [Bool] = []
        for question in [Self.question, history, Self.question, history] {
            guard case .recorded(let event, _) = try await scratch.ledger.record(error, to: question, source: .poll)
            else {
                Issue.record("it was refused")
                return
            }
            appended.append(event.isAppended)
        }
        #expect(appended == [true, true, false, false])
        #expect(
            try scratch.ledger.reader.event(at: 0, facts: false)?.json.serialized().contains(#""errorCode":4040010"#)
                == true)
    }

    @Test(arguments: ["<html></html>", "{}", #"{"data":1}"#, #"{"signedTransactions":["a"]"#])
    func `of another shape is refused and changes nothing`(text: String) async throws {
        let scratch = try Self.scratch()
        guard
            case .refused(let refusal) = try await scratch.ledger.record(
                Array(text.utf8), to: Self.question, source: .poll)
        else {
            Issue.record("it was recorded")
            return
        }
        #expect([.payloadNotJSON, .kindUnknown].contains(refusal.code))
        #expect(try scratch.size == 0)
    }

    @Test func `to a question too long for an event is refused and changes nothing`() async throws {
        let scratch = try Self.scratch()
        let question = ServerAPIQuestion(
            .transactionHistory, target: "/inApps/v2/history/1?revision=\(String(repeating: "a", count: 5_000))",
            bundleId: SampleArtifact.bundleId, environment: .sandbox)
        let error = Array(#"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#.utf8)
        guard case .refused(let refusal) = try await scratch.ledger.record(error, to: question, source: .poll) else {
            Issue.record("it was recorded")
            return
        }
        #expect(refusal.code == .claimMalformed)
        #expect(try scratch.size == 0)
    }

    @Test func `is the cause of what it says first`() async throws {
        let scratch = try Self.scratch()
        _ = try await scratch.ledger.record(
            Self.statuses([(1, transaction.text, renewalInfo.text)]), to: Self.question, source: .poll)
        let selector = SubscriptionSelector(originalTransactionId: Self.id)
        let history = try #require(
            try scratch.ledger.reader.history(of: selector, AsOfQuery(asOf: Self.asOf)))
        #expect(history.json.serialized().contains(#""cause":"poll""#))
        #expect(!history.json.serialized().contains(#""cause":"transaction""#))
    }

    @Test func `is audited with its signed parts`() async throws {
        let scratch = try Self.scratch()
        let trust = TrustPolicy(
            apps: [TrustPolicy.App(bundleId: SampleArtifact.bundleId)],
            configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
        let bytes = Self.statuses([(1, transaction.text, renewalInfo.text), (1, "no JWS", nil)])
        _ = try await scratch.ledger.record(bytes, to: Self.question, source: .poll)
        scratch.close()
        for (policy, isSound) in [(trust, true), (TrustPolicy(apps: trust.apps), false)] {
            var options = LedgerAudit.Options()
            options.signatures = policy
            options.deep = true
            let report = try await LedgerAudit(Ledger.Configuration(folder: scratch.folder) { .latest }, options)
                .run { _ in }
            #expect(report.firstBad == (isSound ? nil : .rootNeeded(position: 0, roots: 1)))
            #expect(report.signatures == (isSound ? 2 : 0))
            #expect(report.neededRoots.map(\.artifacts) == (isSound ? [] : [2]))
        }
    }
}
