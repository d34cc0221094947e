import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import FoundationEssentials
import Ingestion
import LedgerModel
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing
import TransparencyLog

@Suite struct `A bundle` {
    private static let asOf = Instant(milliseconds: SampleArtifact.signedDate)
    private static let ids = ["2000000000000001", "2000000000000777"]

    private let temporary: TemporaryFolder
    private let scratch: ScratchLedger

    init() throws {
        temporary = try TemporaryFolder()
        scratch = try ScratchLedger(
            trust: TrustPolicy(
                apps: [TrustPolicy.App(bundleId: SampleArtifact.bundleId, appAppleId: 1_234)],
                configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)]))
    }

    private var reader: LedgerReader { scratch.ledger.reader }

    private static func transaction(_ id: String) -> SignedJWS {
        SampleArtifact.transaction(["transactionId": .string(id), "originalTransactionId": .string(id)])
    }

    /// Records a page of Apple's with transactions of several subscriptions.
    private func recordPage(_ texts: [String]) async throws {
        let page = JSONValue.object([
            "bundleId": .string(SampleArtifact.bundleId), "environment": .string("Sandbox"),
            "hasMore": .bool(false), "revision": .string("r"),
            "signedTransactions": .array(texts.map { .string($0) }),
        ])
        let question = ServerAPIQuestion(
            .transactionHistory, target: "/inApps/v2/history/\(Self.ids[0])", bundleId: SampleArtifact.bundleId,
            environment: .sandbox)
        let recorded = try await scratch.ledger.record(Array(page.serialized().utf8), to: question, source: .poll)
        guard case .recorded = recorded else {
            Issue.record("the page was refused")
            return
        }
    }

    private func write(_ change: (inout BundleRequest) -> Void = { _ in }) throws -> String {
        var request = BundleRequest(
            .subscription(originalTransactionId: Self.ids[0]), AsOfQuery(asOf: Self.asOf))
        change(&request)
        let path = temporary.path + "/bundle.zip"
        _ = try reader.writeBundle(request, to: path)
        return path
    }

    private func check(_ path: String) async throws -> BundleReport {
        var trust = BundleCheck.Trust(
            logKey: try reader.checkpointVerifier(), bundleKey: try reader.bundleVerifier())
        trust.roots = [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)]
        var check = try BundleCheck(path, trust)
        return try await check.run()
    }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    @Test func `withholds the parts of a page that concern others, and still proves its answer`() async throws {
        let texts = Self.ids.map { Self.transaction($0).text }
        try await recordPage(texts)
        let path = try write()
        let report = try await check(path)
        #expect(report.isSound, "\(report.json.serialized())")
        #expect(
            report.rows[2].note == "0 files, 1 withheld" && report.rows[3].note?.hasPrefix("1 signed parts") == true)
        let contents = String(decoding: try bytes(path), as: UTF8.self)
        #expect(contents.contains(texts[0]) && !contents.contains(texts[1]))
        #expect(!contents.contains(Self.ids[1]))

        let whole = try write { $0.withOthers = true }
        #expect(try await check(whole).isSound)
        let others = String(decoding: try bytes(whole), as: UTF8.self)
        #expect(others.contains(texts[1]) && others.contains("\"state\":\"present\""))
    }

    @Test func `keeps the unsigned status of its subject on a page with others`() async throws {
        let items = Self.ids.reversed().map { id in
            JSONValue.object([
                "originalTransactionId": .string(id), "status": .integer(5),
                "signedTransactionInfo": .string(Self.transaction(id).text),
            ])
        }
        let group = JSONValue.object(["subscriptionGroupIdentifier": .string("1"), "lastTransactions": .array(items)])
        let page = JSONValue.object([
            "environment": .string("Sandbox"), "bundleId": .string(SampleArtifact.bundleId), "data": .array([group]),
        ])
        let question = ServerAPIQuestion(
            .subscriptionStatuses, target: "/inApps/v1/subscriptions/\(Self.ids[0])",
            bundleId: SampleArtifact.bundleId, environment: .sandbox)
        _ = try await scratch.ledger.record(Array(page.serialized().utf8), to: question, source: .poll)
        let path = try write()
        let report = try await check(path)
        #expect(report.isSound && report.rows[2].note == "0 files, 1 withheld", "\(report.json.serialized())")
        let contents = String(decoding: try bytes(path), as: UTF8.self)
        #expect(contents.contains("\"lastTransactions\":[{},{") && !contents.contains(Self.ids[1]))
    }

    @Test func `keeps a page that concerns the subject alone`() async throws {
        try await recordPage([Self.transaction(Self.ids[0]).text])
        let report = try await check(try write())
        #expect(report.isSound && report.rows[2].note == "1 files", "\(report.json.serialized())")
    }

    @Test func `leaves out the refused parts of a page with others`() async throws {
        let forged = String(Self.transaction(Self.ids[0]).text.dropLast(4)) + "AAAA"
        try await recordPage([forged] + Self.ids.map { Self.transaction($0).text })
        let path = try write()
        let report = try await check(path)
        #expect(report.isSound && report.rows[2].note == "0 files, 1 withheld", "\(report.json.serialized())")
        #expect(!String(decoding: try bytes(path), as: UTF8.self).contains(forged))
    }

    @Test func `knows only what the question knows, and has the same bytes when the log has grown`() async throws {
        try await scratch.ingest([Self.transaction(Self.ids[0]).compact])
        let first = try bytes(try write { $0.question.knownAt = .size(1) })
        try await scratch.ingest([Self.transaction(Self.ids[1]).compact])
        try await scratch.ingest([SampleArtifact.renewalInfo().compact], as: .renewalInfo)
        #expect(try bytes(try write { $0.question.knownAt = .size(1) }) == first)
        #expect(try bytes(try write()) != first)
        #expect(try await check(try write()).isSound)
    }

    @Test func `has the rules of the question, if they are given by hand`() async throws {
        try await scratch.ingest([Self.transaction(Self.ids[0]).compact])
        var rules = Rules()
        rules.access.ownGraceDays = 9
        let path = try write { [rules] in $0.question.rules = rules }
        let contents = String(decoding: try bytes(path), as: UTF8.self)
        #expect(contents.contains("\"digest\":\"\(rules.digest.hex)\",\"position\":null"))
        #expect(try await check(path).isSound)
    }

    @Test func `is refused for unknown subjects`() async throws {
        try await scratch.ingest([Self.transaction(Self.ids[0]).compact])
        func code(_ subject: BundleSubject, knownAt: Position? = nil) -> String? {
            do {
                _ = try write {
                    $0.subject = subject
                    $0.question.knownAt = knownAt.map { .size($0) }
                }
                return nil
            } catch {
                return (error as? any DiagnosedError)?.diagnosis.code
            }
        }
        #expect(code(.subscription(originalTransactionId: "9")) == "subject_unknown")
        #expect(code(.subscription(originalTransactionId: Self.ids[0]), knownAt: 0) == "subject_unknown")
        #expect(code(.transaction(id: "9")) == "subject_unknown")
        #expect(code(.customer("nobody")) == "subject_unknown")
        #expect(code(.close(name: "2020")) == "close_unknown")
        #expect(code(.subscription(originalTransactionId: Self.ids[0]), knownAt: 99) == "known_at_ahead")
        #expect(code(.subscription(originalTransactionId: Self.ids[0])) == nil)
    }
}
