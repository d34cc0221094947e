import AppStoreModel
package import AppStoreVerification
import CMS
import EventLog
import Ingestion
package import LedgerAPI
import LedgerStorage
import Primitives
import TransparencyLog

/// Checks a ledger: every event of the log and every anchor, and optionally every signature and every page of the file.
package struct LedgerAudit: Sendable {
    package struct Options: Sendable {
        /// The roots and apps for verifying signatures; nil skips signatures.
        package var signatures: TrustPolicy?
        package var deep = false
        /// The roots of time stamp authorities, as DER; nil for those stored with the anchors.
        fileprivate var timeStampRoots: [[UInt8]]?

        package init() {}

        /// Trusts the roots of time stamp authorities in a PEM file instead of the stored ones.
        /// - Throws: `certificate_malformed`.
        package mutating func trustTimeStamps(under file: [UInt8]) throws {
            timeStampRoots = try CertificateFile.certificates(in: file)
        }
    }

    private let configuration: Ledger.Configuration
    private let options: Options

    package init(_ configuration: Ledger.Configuration, _ options: Options) {
        self.configuration = configuration
        self.options = options
    }

    /// - Parameter progress: called with the position reached.
    /// - Throws: `StorageError` when the ledger cannot be read.
    package func run(progress: @escaping (UInt64) -> Void) async throws -> AuditReport {
        do {
            let published = options.deep ? try PublishedCheckpoint.unverified(in: configuration.folder) : nil
            if options.deep,
                let finding = try FileAudit.firstFinding(in: configuration.folder, signedSize: published?.size)
            {
                return AuditReport(firstBad: AuditFinding(finding))
            }
            let log = try LogReader(configuration.log, origin: configuration.origin)
            var report = AuditReport(try LogAudit(log, check: Self.check, progress: progress).run())
            if report.firstBad == nil, let trust = options.signatures {
                try await verifySignatures(of: log, trust, &report, progress)
            }
            if report.firstBad == nil, let published { try require(published, of: log) }
            if report.firstBad == nil { try verifyAnchors(of: log, &report) }
            return report
        } catch let error as StorageError where error.code == .logCorrupt {
            return AuditReport(firstBad: .structure(what: error.message))
        }
    }

    private func verifyAnchors(of log: LogReader, _ report: inout AuditReport) throws {
        do {
            report.anchors = try AnchorAudit(of: log, in: configuration.folder, roots: options.timeStampRoots).run()
        } catch let error as StorageError where error.code == .logCorrupt {
            report.firstBad = .structure(what: error.message)
        }
    }

    /// Requires that the log begins with the published checkpoint, and that the checkpoint's signature is valid.
    /// Without the key, the signature is not checked.
    /// - Throws: `log_corrupt`.
    private func require(_ published: Checkpoint, of log: LogReader) throws {
        try log.requirePrefix(published)
        guard let signer = try? CheckpointKey.load(from: configuration.folder, origin: log.origin) else { return }
        _ = try PublishedCheckpoint.stored(in: configuration.folder, verifier: signer.verifier)
    }

    /// Checks that the idempotency key of an event matches its evidence, and the digest of rules, of a catalogue or of
    /// rates their content.
    private static func check(_ record: Record, _ evidence: [UInt8]) -> Result<Void, LogAudit.EventProblem> {
        guard record.kind != .rulesActivated || RulesEvents.isSound(record) else {
            return .failure(LogAudit.EventProblem(what: "the rules do not match their digest"))
        }
        guard record.kind != .catalogChanged || record.statesDigest(of: evidence) else {
            return .failure(LogAudit.EventProblem(what: "the catalogue does not match its digest"))
        }
        guard record.kind != .ratesChanged || record.statesDigest(of: evidence) else {
            return .failure(LogAudit.EventProblem(what: "the rates do not match their digest"))
        }
        guard record.kind != .numbersClosed || record.statesDigest(of: evidence) else {
            return .failure(LogAudit.EventProblem(what: "the closed numbers do not match their digest"))
        }
        do {
            let isIdentified =
                try AnswerEvents.stored(record, evidence)?.hasIdempotencyKey(record.idempotencyKey)
                ?? VerifyReceiptEvents.stored(record, evidence)?.hasIdempotencyKey(record.idempotencyKey)
                ?? NotificationV1Events.stored(record, evidence)?.hasIdempotencyKey(record.idempotencyKey)
                ?? TransactionReceiptEvents.stored(record, evidence)?.hasIdempotencyKey(record.idempotencyKey)
            if let isIdentified {
                return isIdentified
                    ? .success(())
                    : .failure(LogAudit.EventProblem(what: "the identity does not match the evidence"))
            }
        } catch {
            return .failure(LogAudit.EventProblem(what: "the answer cannot be decoded"))
        }
        guard let kind = ArtifactKind(record.artifact) else { return .success(()) }
        do throws(Refusal) {
            let artifact = try StoredArtifact(evidence, kind: kind)
            let idempotencyKey = IdempotencyKey(
                artifact: record.artifact, environment: record.environment, key: artifact.signingInput.bytes)
            guard idempotencyKey == record.idempotencyKey else {
                return .failure(LogAudit.EventProblem(what: "the identity does not match the evidence"))
            }
            return .success(())
        } catch {
            return .failure(LogAudit.EventProblem(what: "the evidence cannot be decoded: \(error.reason)"))
        }
    }

    private static let batch = 1_024

    private func verifySignatures(
        of log: LogReader, _ trust: TrustPolicy, _ report: inout AuditReport, _ progress: (UInt64) -> Void
    ) async throws {
        let verifier = SignedDataVerifier(trust: trust, mistyped: .absent)
        let size = try log.size()
        var position: UInt64 = 0
        while position < size, report.firstBad == nil {
            progress(position)
            var events: [(record: Record, evidence: [UInt8])] = []
            position = try log.forEach(from: position, below: size, limit: Self.batch) { events.append(($0, $1)) }
            let batch = events
            let problems = await withTaskGroup(of: (UInt64, String?).self) { group in
                for event in batch {
                    if ArtifactKind(event.record.artifact) != nil {
                        group.addTask {
                            (event.record.position, await Self.problem(with: event.record, event.evidence, verifier))
                        }
                    }
                    for part in Self.signedParts(of: event.record, event.evidence) {
                        group.addTask { (event.record.position, await Self.problem(with: part, verifier)) }
                    }
                    if let receipt = Self.carriedReceipt(in: event.record, event.evidence) {
                        group.addTask { (event.record.position, await Self.problem(withReceipt: receipt, verifier)) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            report.signatures += UInt64(problems.count)
            if let (position, what) = problems.filter({ $0.1 != nil }).min(by: { $0.0 < $1.0 }) {
                report.firstBad = .event(position: position, what: what ?? "")
            }
        }
    }

    /// Returns the signed parts of a recorded answer that were not refused.
    private static func signedParts(of record: Record, _ evidence: [UInt8]) -> [ServerAPIAnswer.Part] {
        guard let stored = try? AnswerEvents.stored(record, evidence) else { return [] }
        return zip(stored.answer.parts, stored.parts).compactMap { part, artifact in artifact == nil ? nil : part }
    }

    /// Returns the receipt, in base64, that was accepted inside of something that is not signed.
    private static func carriedReceipt(in record: Record, _ evidence: [UInt8]) -> [UInt8]? {
        if let stored = try? VerifyReceiptEvents.stored(record, evidence) { return stored.acceptedReceipt }
        return (try? NotificationV1Events.stored(record, evidence))?.acceptedReceipt
    }

    private static func problem(withReceipt receipt: [UInt8], _ verifier: SignedDataVerifier) async -> String? {
        switch await verifier.verify(receipt, as: .receipt, now: .latest) {
        case .failure(let refusal): "\(refusal.code): \(refusal.reason), in latest_receipt"
        case .success: nil
        }
    }

    private static func problem(with part: ServerAPIAnswer.Part, _ verifier: SignedDataVerifier) async -> String? {
        switch await verifier.verify(part, now: .latest) {
        case .failure(let refusal): "\(refusal.code): \(refusal.reason), in \(part.path)"
        case .success: nil
        }
    }

    /// Verifies the evidence of a record. Returns nil when the signature is valid under the certificates and at the
    /// instant in the record.
    private static func problem(
        with record: Record, _ evidence: [UInt8], _ verifier: SignedDataVerifier
    ) async -> String? {
        switch await verifier.verify(evidence, as: ArtifactKind(record.artifact), now: .latest) {
        case .failure(let refusal):
            return "\(refusal.code): \(refusal.reason)"
        case .success(let artifact):
            let proof = artifact.proof
            guard proof.verifiedAt == record.verifiedAt, proof.leaf == record.leafCertificate,
                proof.root == record.rootCertificate
            else { return "the certificates or the verification time differ from the record" }
            return nil
        }
    }
}

extension AuditReport {
    fileprivate init(_ report: LogAudit.Report) {
        self.init(firstBad: report.firstBad.map(AuditFinding.init))
        events = report.events
    }
}

extension AuditFinding {
    fileprivate init(_ finding: LogFinding) {
        switch finding {
        case .event(let position, let what): self = .event(position: position, what: what)
        case .structure(let what): self = .structure(what: what)
        }
    }
}
