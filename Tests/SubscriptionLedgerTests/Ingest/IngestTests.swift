import AppStoreSimulation
import AppStoreVerification
import EventLog
import Ingestion
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `Ingesting` {
    private func trust(apps: [String] = [SampleArtifact.bundleId]) throws -> TrustPolicy {
        TrustPolicy(
            apps: apps.map { TrustPolicy.App(bundleId: $0) },
            configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
    }

    private func outcome(_ artifact: [UInt8], _ scratch: ScratchLedger) async throws -> IngestOutcome {
        let checked = await scratch.ledger.check(artifact, source: .http)
        return try await scratch.ledger.append([checked], source: .http)[0]
    }

    @Test func `of each kind makes its event`() async throws {
        let scratch = try ScratchLedger(trust: trust())
        let appTransaction = SampleArtifact.signer.sign(
            .object([
                "receiptType": .string("Sandbox"), "bundleId": .string(SampleArtifact.bundleId),
                "appTransactionId": .string("704"), "receiptCreationDate": .integer(SampleArtifact.signedDate),
            ]))
        let artifacts = [
            SampleArtifact.notification(), SampleArtifact.transaction(), SampleArtifact.renewalInfo(), appTransaction,
        ]
        try await scratch.ingest(artifacts.map(\.compact))
        let records = try (0..<4).map { try #require(try scratch.ledger.reader.log.record(at: $0)) }
        #expect(
            records.map(\.kind) == [
                .notificationReceived, .transactionVerified, .renewalInfoVerified, .appTransactionVerified,
            ])
        #expect(records.map(\.artifact) == [.notificationV2, .transaction, .renewalInfo, .appTransaction])
        #expect(
            records.map { String(decoding: $0.body, as: UTF8.self) } == [
                #"{"notificationUUID":"15101c57-7b3d-49c2-8adf-74ac2740ea8c"}"#, "{}",
                #"{"bundleId":"com.example.app"}"#, "{}",
            ])
        for (record, artifact) in zip(records, artifacts) {
            #expect(record.source == .file && record.environment == .sandbox && record.trust == .signed)
            #expect(record.flags == .configuredRoot)
            #expect(record.verifiedAt.milliseconds == SampleArtifact.signedDate)
            #expect(record.leafCertificate == .sha256(of: SigningAuthority.standard.leafCertificate))
            #expect(record.rootCertificate == .sha256(of: SigningAuthority.standard.rootCertificate))
            #expect(record.evidenceDigest == .sha256(of: artifact.compact))
            #expect(Int(record.evidenceLength) == artifact.compact.count)
            #expect(
                record.idempotencyKey
                    == IdempotencyKey(artifact: record.artifact, environment: .sandbox, key: artifact.digest.bytes))
            #expect(try scratch.ledger.reader.log.evidence(at: record.position) == artifact.compact)
        }
    }

    /// A refused artifact, its code, and whether it is quarantined for a retry.
    struct Refused: Sendable, CustomTestStringConvertible {
        let artifact: [UInt8]
        let code: String
        let isQuarantined: Bool
        var apps = [SampleArtifact.bundleId]
        var testDescription: String { code }
    }

    static let refused: [Refused] = [
        Refused(artifact: Array("a.b.c".utf8), code: "jws_malformed", isQuarantined: false),
        Refused(
            artifact: SampleArtifact.transaction(["bundleId": .string("com.example.other")]).compact,
            code: "bundle_mismatch", isQuarantined: true),
        Refused(artifact: SampleArtifact.transaction().forged.compact, code: "signature_invalid", isQuarantined: true),
        Refused(artifact: SampleArtifact.transaction().withSpareBits, code: "jws_malformed", isQuarantined: false),
        Refused(
            artifact: SampleArtifact.transaction(["signedDate": nil]).compact, code: "claim_missing",
            isQuarantined: true),
        Refused(
            artifact: SampleArtifact.notification(["notificationUUID": nil]).compact, code: "claim_missing",
            isQuarantined: true),
        Refused(
            artifact: SampleArtifact.notification([
                "notificationUUID": .string(String(repeating: "\u{1}", count: 4_096))
            ]).compact,
            code: "claim_missing", isQuarantined: true),
        Refused(
            artifact: SampleArtifact.notification(transaction: SampleArtifact.transaction().forged).compact,
            code: "signature_invalid", isQuarantined: true),
        Refused(
            artifact: SampleArtifact.renewalInfo().compact, code: "renewal_info_without_bundle", isQuarantined: true,
            apps: [SampleArtifact.bundleId, "com.example.other"]),
        Refused(
            artifact: SampleArtifact.signer.sign(.object(["hello": .string("world")])).compact, code: "kind_unknown",
            isQuarantined: false),
    ]

    @Test(arguments: refused)
    func `refuses`(refused: Refused) async throws {
        let scratch = try ScratchLedger(trust: trust(apps: refused.apps))
        for _ in 0..<2 {
            guard case .refused(let refusal, let quarantined) = try await outcome(refused.artifact, scratch) else {
                Issue.record("appended")
                return
            }
            #expect(refusal.code.rawValue == refused.code)
            #expect(quarantined == refused.isQuarantined)
        }
        #expect(try scratch.size == 0)
        // Quarantined once, even if it is posted repeatedly.
        #expect(try scratch.ledger.quarantine.size().items == (refused.isQuarantined ? 1 : 0))
    }

    @Test func `of what was in quarantine tells from where it came`() async throws {
        let scratch = try ScratchLedger(trust: trust(apps: ["com.example.other"]))
        _ = try await outcome(SampleArtifact.transaction().compact, scratch)
        scratch.close()
        try scratch.open(trust: trust())
        let digest = try #require(try Quarantine.digests(in: scratch.folder.quarantine).first)
        let item = try #require(try Quarantine.item(digest, in: scratch.folder.quarantine))
        var pipeline = IngestPipeline(ledger: scratch.ledger)
        let results = try await pipeline.add(FoundArtifact(item)) + pipeline.finish()
        #expect(results.map(\.file) == [digest])
        #expect(try scratch.ledger.reader.log.record(at: 0)?.source == .http)
    }

    /// Another signature over the same bytes is the same artifact; the first one is kept.
    @Test(arguments: [false, true])
    func `the spellings of one signature makes one event`(isTwinFirst: Bool) async throws {
        let scratch = try ScratchLedger(trust: trust())
        let artifact = SampleArtifact.transaction()
        let padded = Array(" \n".utf8) + artifact.compact + Array("\r\n".utf8)
        let spellings = isTwinFirst ? [artifact.twin.compact, padded] : [padded, artifact.twin.compact]
        let appended = try await scratch.ingest(spellings + spellings)
        #expect(appended.map(\.isAppended) == [true, false, false, false])
        #expect(try scratch.evidence() == [isTwinFirst ? artifact.twin.compact : artifact.compact])
    }

    @Test func `a re-signed notification repeats, and answers the first each time`() async throws {
        let scratch = try ScratchLedger(trust: trust())
        let first = SampleArtifact.notification().compact
        let again = SampleArtifact.notification(["signedDate": .integer(SampleArtifact.signedDate + 3_600_000)]).compact
        let appended = try await scratch.ingest([first, again, again, first])
        #expect(appended.map(\.position) == [0, 0, 0, 0])
        #expect(appended.map(\.isDuplicate) == [false, true, true, true])
        #expect(appended.map(\.isAppended) == [true, true, false, false])
        #expect(try scratch.ledger.reader.log.record(at: 1)?.flags == [.configuredRoot, .repeats])
        #expect(try scratch.evidence() == [first, again])
    }

    @Test func `in bulk keeps the order, refusals and all, over many chunks`() async throws {
        let configuration = StoreConfiguration()
        let trust = TrustPolicy(
            apps: [TrustPolicy.App(bundleId: configuration.bundleId, appAppleId: configuration.appAppleId)],
            configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
        let scratch = try ScratchLedger(trust: trust)
        let bulk = BulkNotifications(count: 30).map(\.jws.compact)
        // Each notification many times; every seventh line is malformed.
        let artifacts = (0..<3_000).map { $0 % 7 == 3 ? Array("none \($0)".utf8) : bulk[$0 % 30] }
        var pipeline = IngestPipeline(ledger: scratch.ledger)
        var results: [IngestPipeline.Result] = []
        for (number, artifact) in artifacts.enumerated() {
            results += try await pipeline.add(
                ArtifactFile.artifacts(inLine: artifact, file: "bulk.ndjson", number: number)[0])
        }
        results += try await pipeline.finish()
        #expect(results.map(\.file) == artifacts.indices.map { "bulk.ndjson:\($0)" })
        var first: [[UInt8]: UInt64] = [:]
        for (artifact, result) in zip(artifacts, results) {
            switch result.outcome {
            case .refused(let refusal, let quarantined):
                #expect(artifact.starts(with: Array("none".utf8)))
                #expect(refusal.code == .jwsMalformed && !quarantined)
            case .appended(let appended):
                #expect(appended.isAppended == (first[artifact] == nil))
                #expect(appended.position == first[artifact, default: UInt64(first.count)])
                first[artifact] = appended.position
            case .kept: Issue.record("kept")
            }
            #expect(result.byteCount == artifact.count)
        }
        #expect(try scratch.size == 30)
    }
}
