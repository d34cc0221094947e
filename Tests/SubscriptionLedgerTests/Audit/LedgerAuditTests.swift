import AppStoreSimulation
import AppStoreVerification
import EventLog
import FactStore
import FoundationEssentials
import Ingestion
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `An audit of a ledger` {
    private static let root = SigningAuthority.standard.rootCertificate

    private static func trust() throws -> TrustPolicy {
        TrustPolicy(
            apps: [TrustPolicy.App(bundleId: SampleArtifact.bundleId)],
            configuredRoots: [try ConfiguredRoot(file: root)])
    }

    /// Audits a ledger of three verified artifacts after `body` has changed it, as another process would.
    private func audit(
        signatures: TrustPolicy? = nil, deep: Bool = false, after body: (ScratchLedger) async throws -> Void = { _ in }
    ) async throws -> AuditReport {
        let scratch = try ScratchLedger(trust: Self.trust())
        try await scratch.ingest([
            SampleArtifact.notification().compact, SampleArtifact.transaction().compact,
            SampleArtifact.renewalInfo().compact,
        ])
        try await body(scratch)
        scratch.close()
        var options = LedgerAudit.Options()
        options.signatures = signatures
        options.deep = deep
        return try await LedgerAudit(Ledger.Configuration(folder: scratch.folder) { .latest }, options).run { _ in }
    }

    /// Appends an event that no verification would produce.
    private func forged(
        _ scratch: ScratchLedger, key: [UInt8]? = nil, flags: RecordFlags = .configuredRoot, evidence: SignedJWS,
        verifiedAt: Int64? = nil, leaf: Digest? = nil
    ) async throws {
        let draft = EventDraft(
            kind: .transactionVerified, source: .file, environment: .sandbox, artifact: .transaction, trust: .signed,
            flags: flags,
            idempotencyKey: IdempotencyKey(
                artifact: .transaction, environment: .sandbox, key: key ?? evidence.digest.bytes),
            evidence: Evidence(bytes: evidence.compact),
            verifiedAt: Instant(milliseconds: verifiedAt ?? SampleArtifact.signedDate),
            leafCertificate: leaf ?? .sha256(of: SigningAuthority.standard.leafCertificate),
            rootCertificate: .sha256(of: Self.root), attachment: try facts(of: evidence))
        _ = try await scratch.ledger.log.append([scratch.ledger.log.prepare(draft)])
    }

    /// The facts as an append would decode them; none of evidence that cannot be decoded.
    private func facts(of evidence: SignedJWS) throws -> IndexedFacts {
        guard let stored = try? StoredArtifact(evidence.compact, kind: .transaction) else { return .none }
        return IndexedFacts(EventDecoder.facts(of: stored, bundleId: nil))
    }

    private let other = SampleArtifact.transaction(["transactionId": .string("3")])

    @Test func `finds nothing in what was verified`() async throws {
        for deep in [false, true] {
            let report = try await audit(deep: deep)
            #expect(report.firstBad == nil && report.events == 3 && report.signatures == 0)
        }
        let report = try await audit(signatures: Self.trust(), deep: true) { scratch in
            try await forged(scratch, evidence: other)
        }
        #expect(report.firstBad == nil && report.events == 4 && report.signatures == 6)
    }

    /// The log may contain claims of the wrong type, stored before they were refused.
    @Test func `finds nothing in evidence with a mistyped claim, of which the rest is read`() async throws {
        let mistyped = SampleArtifact.transaction([
            "transactionId": .string("3"), "price": .string("free"), "expiresDate": .array([]),
        ])
        let report = try await audit(signatures: Self.trust(), deep: true) { scratch in
            try await forged(scratch, evidence: mistyped)
            scratch.close()
            try FileManager.default.removeItem(atPath: scratch.folder.derived)
            try scratch.open()
            try scratch.ledger.reader.facts.store()
            #expect(scratch.ledger.reader.facts.size == 4)
            let event = try #require(try scratch.ledger.reader.event(at: 3, facts: true)).json.serialized()
            #expect(event.contains(#""transactionId":"3""#))
            #expect(!event.contains("price") && !event.contains("expiresDate"))
            await #expect(throws: Refusal.self) { try await scratch.ingest([mistyped.compact]) }
        }
        #expect(report.firstBad == nil && report.events == 4 && report.signatures == 6)
    }

    @Test func `finds an event that is not named by its evidence`() async throws {
        let report = try await audit { try await forged($0, key: Array("another".utf8), evidence: other) }
        #expect(report.firstBad == .event(position: 3, what: "the identity does not match the evidence"))
    }

    @Test func `finds evidence that is none`() async throws {
        let none = SampleArtifact.signer.sign(.array([]))
        let report = try await audit { try await forged($0, evidence: none) }
        guard case .event(position: 3, _) = report.firstBad else {
            Issue.record("\(report)")
            return
        }
    }

    @Test func `finds signatures that do not hold`() async throws {
        let forgery = SampleArtifact.transaction(["transactionId": .string("3")]).forged
        let report = try await audit(signatures: Self.trust()) { try await forged($0, evidence: forgery) }
        guard case .event(position: 3, let what) = report.firstBad else {
            Issue.record("\(report)")
            return
        }
        #expect(what.hasPrefix("signature_invalid"))
    }

    @Test func `names the root of the operator's that the auditor lacks, which is no tampering`() async throws {
        let report = try await audit(signatures: TrustPolicy(), deep: true)
        #expect(report.firstBad == .rootNeeded(position: 0, roots: 1))
        #expect(report.firstBad?.what == "1 root of yours is needed: --trust-root")
        let root = try #require(report.neededRoots.first)
        #expect(root.sha256 == .sha256(of: Self.root) && root.artifacts == 3 && root.position == 0)
        #expect(root.subject?.contains("CN=") == true)
        #expect(report.events == 3 && report.signatures == 0 && report.derived.count == 6)
    }

    /// Only the flag of the record says that the root was the operator's.
    @Test func `takes a chain to an unknown root for tampering when the record names Apple's`() async throws {
        let report = try await audit(signatures: TrustPolicy()) { try await forged($0, flags: [], evidence: other) }
        guard case .event(position: 3, let what) = report.firstBad else {
            Issue.record("\(report)")
            return
        }
        #expect(what.hasPrefix("chain_untrusted"))
        #expect(report.neededRoots.map(\.artifacts) == [3])
    }

    @Test func `counts the trust classes apart`() async throws {
        let report = try await audit(signatures: Self.trust()) { scratch in
            try await forged(scratch, flags: [], evidence: other)
            let draft = EventDraft(
                kind: EventKind(rawValue: 255), source: .operator, environment: .none, artifact: .none, trust: .own,
                idempotencyKey: IdempotencyKey(7), verifiedAt: .earliest)
            _ = try await scratch.ledger.log.append([scratch.ledger.log.prepare(draft)])
        }
        let counts = try #require(report.counts)
        #expect(counts.classes.map(\.count) == [4, 0, 0, 0, 1])
        #expect(counts.configuredRoot == 3)
    }

    @Test func `survives its way through a pipe`() async throws {
        let reports = [
            try await audit(signatures: TrustPolicy(), deep: true),
            try await audit(signatures: Self.trust(), deep: true),
            AuditReport(firstBad: .derived(what: "a")), AuditReport(firstBad: .structure(what: "b")),
            AuditReport(firstBad: .event(position: 5, what: "c")),
        ]
        for report in reports {
            let text = Array(JSONValue.object(report.members).serialized().utf8)
            #expect(AuditReport(json: try JSONDocument(parsing: text).root) == report)
        }
    }

    @Test func `finds what was verified otherwise than the record tells`() async throws {
        let reports = [
            try await audit(signatures: Self.trust()) { try await forged($0, evidence: other, leaf: .sha256(of: [])) },
            try await audit(signatures: Self.trust()) { try await forged($0, evidence: other, verifiedAt: 1) },
        ]
        for report in reports {
            #expect(
                report.firstBad
                    == .event(
                        position: 3,
                        what: "the certificates or the verification time differ from the record"))
        }
    }
}

@Suite struct `A backup of a ledger` {
    @Test func `answers as the ledger does, without its secrets unless they are asked for`() async throws {
        let trust = TrustPolicy(
            apps: [TrustPolicy.App(bundleId: SampleArtifact.bundleId)],
            configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
        let scratch = try ScratchLedger(trust: trust)
        try await scratch.ingest([SampleArtifact.notification().compact, SampleArtifact.transaction().compact])
        let selector = SubscriptionSelector(originalTransactionId: "2000000000000001")
        let question = AsOfQuery(asOf: Instant(milliseconds: SampleArtifact.signedDate))
        let expected = try #require(try scratch.ledger.reader.state(of: selector, question))
        for withSecrets in [false, true] {
            let copy = DataFolder(path: "\(scratch.folder.path)/copy-\(withSecrets)")
            try LedgerBackup(of: scratch.ledger.reader, withSecrets: withSecrets).copy(to: copy.path) { _, _ in }
            let opened = try LedgerReader(Ledger.Configuration(folder: copy) { .latest })
            #expect(try opened.state(of: selector, question) == expected)
            #expect(try opened.log.head() == scratch.ledger.reader.log.head())
            #expect(opened.log.origin == scratch.ledger.reader.log.origin)
            let key = try AtomicFile.read(copy.checkpointKey, limit: 4_096)
            #expect(key == (withSecrets ? try AtomicFile.read(scratch.folder.checkpointKey, limit: 4_096) : nil))
            // A second backup does not replace the first.
            #expect(throws: StorageError.self) {
                try LedgerBackup(of: scratch.ledger.reader, withSecrets: withSecrets).copy(to: copy.path) { _, _ in }
            }
        }
    }
}
