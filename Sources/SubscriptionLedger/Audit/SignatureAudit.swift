import AppStoreModel
import AppStoreVerification
import EventLog
import Glibc
import Ingestion
import LedgerAPI
import Primitives

/// Verifies every signature of the log again, at its own time and under the certificates in its record.
///
/// An artifact that rests on a configured root is verified only under that root. If the auditor did not name it, nothing
/// is wrong: the audit counts what it could not verify, and tells which root that needs.
struct SignatureAudit: Sendable {
    private let log: LogReader
    private let verifier: SignedDataVerifier
    private let roots: Set<Digest>

    private static let eventsPerPart: UInt64 = 256
    private static let partsPerThread = 4
    /// The number of events that a thread keeps in memory: receipts have up to 8 MiB.
    private static let eventsPerRead = 16

    init(of log: LogReader, _ trust: TrustPolicy) {
        self.log = log
        verifier = SignedDataVerifier(trust: trust, mistyped: .absent)
        roots = Set(trust.configuredRoots.map(\.fingerprint))
    }

    /// Verifies the signatures of the first `size` events.
    /// - Parameter progress: called with the position reached.
    func run(below size: UInt64, _ report: inout AuditReport, progress: (UInt64) -> Void) async throws {
        var found = Found()
        var position: UInt64 = 0
        let threads = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        while position < size, found.fault == nil {
            progress(position)
            let starts = Array(
                stride(from: position, to: size, by: Int(Self.eventsPerPart)).prefix(threads * Self.partsPerThread))
            position = min((starts.last ?? size) + Self.eventsPerPart, size)
            found.add(
                try await withThrowingTaskGroup(of: Found.self) { group in
                    for start in starts {
                        group.addTask { try await verify(start..<min(start + Self.eventsPerPart, size)) }
                    }
                    return try await group.reduce(into: Found()) { $0.add($1) }
                })
        }
        report.signatures = found.signatures
        report.neededRoots = found.neededRoots.values.sorted { $0.position < $1.position }
        if let (position, what) = found.fault { report.firstBad = .event(position: position, what: what) }
    }

    private func verify(_ positions: Range<UInt64>) async throws -> Found {
        var found = Found()
        var position = positions.lowerBound
        while position < positions.upperBound, found.fault == nil {
            var events: [(record: Record, evidence: [UInt8])] = []
            position = try log.forEach(from: position, below: positions.upperBound, limit: Self.eventsPerRead) {
                // Apple's signature of erased evidence can no longer be checked.
                if let bytes = $1.verbatim { events.append(($0, bytes)) }
            }
            for event in events where found.fault == nil {
                for artifact in AuditedPart.parts(of: event.record, event.evidence) {
                    found.add(await outcome(of: artifact, event.record), at: event.record.position)
                }
            }
        }
        return found
    }
}

/// The findings about some events.
private struct Found: Sendable {
    var signatures: UInt64 = 0
    var neededRoots: [Digest: AuditReport.NeededRoot] = [:]
    /// The first refusal.
    var fault: (position: UInt64, what: String)?

    mutating func add(_ outcome: SignatureAudit.Outcome, at position: UInt64) {
        switch outcome {
        case .verified(let count): signatures += count
        case .refused(let what): fault = fault ?? (position, what)
        case .needsRoot(let sha256, let subject):
            add(AuditReport.NeededRoot(sha256: sha256, subject: subject, artifacts: 1, position: position))
        }
    }

    mutating func add(_ other: Found) {
        signatures += other.signatures
        for root in other.neededRoots.values { add(root) }
        if let fault = other.fault, fault.position < self.fault?.position ?? .max { self.fault = fault }
    }

    private mutating func add(_ root: AuditReport.NeededRoot) {
        let known = neededRoots[root.sha256]
        neededRoots[root.sha256] = AuditReport.NeededRoot(
            sha256: root.sha256, subject: known?.subject ?? root.subject,
            artifacts: root.artifacts + (known?.artifacts ?? 0),
            position: min(root.position, known?.position ?? .max))
    }
}

/// A signed artifact of an event.
private struct AuditedPart {
    let bytes: [UInt8]
    let kind: ArtifactKind
    /// The place of the artifact in the evidence; nil when it is the whole evidence.
    var path: String?

    /// Returns the signed artifacts of an event that were not refused when it was recorded.
    static func parts(of record: Record, _ evidence: [UInt8]) -> [AuditedPart] {
        if let kind = ArtifactKind(record.artifact) { return [AuditedPart(bytes: evidence, kind: kind)] }
        if let stored = try? AnswerEvents.stored(record, evidence) {
            return zip(stored.answer.parts, stored.parts).compactMap { part, artifact in
                artifact == nil ? nil : AuditedPart(bytes: part.text, kind: part.kind, path: part.path)
            }
        }
        let receipt =
            (try? VerifyReceiptEvents.stored(record, evidence))?.acceptedReceipt
            ?? (try? NotificationV1Events.stored(record, evidence))?.acceptedReceipt
        return receipt.map { [AuditedPart(bytes: $0, kind: .receipt, path: "latest_receipt")] } ?? []
    }
}

extension SignatureAudit {
    fileprivate enum Outcome {
        /// The number of signatures that are valid.
        case verified(UInt64)
        /// The root that an operator configured and that was not named.
        case needsRoot(Digest, subject: String?)
        case refused(String)
    }

    private func outcome(of part: AuditedPart, _ record: Record) async -> Outcome {
        switch await verifier.verify(part.bytes, as: part.kind, now: .latest) {
        case .failure(let refusal): outcome(of: refusal, part, record)
        case .success(let artifact):
            part.path == nil
                ? outcome(of: artifact, part, record) : .verified(artifact.signatureCount)
        }
    }

    /// Compares the certificates and the time of an event's own artifact with its record.
    private func outcome(of artifact: SignedArtifact, _ part: AuditedPart, _ record: Record) -> Outcome {
        let proof = artifact.proof
        if proof.isConfiguredRoot, record.flags.contains(.configuredRoot), !roots.contains(record.rootCertificate),
            record.rootCertificate != .zero
        {
            // Another certificate with the key of the root. The record names the one that the operator configured.
            return .needsRoot(record.rootCertificate, subject: ClaimedRoot(of: part.bytes, kind: part.kind)?.subject)
        }
        guard proof.verifiedAt == record.verifiedAt, proof.leaf == record.leafCertificate,
            proof.root == record.rootCertificate
        else { return .refused("the certificates or the verification time differ from the record") }
        return .verified(artifact.signatureCount)
    }

    private func outcome(of refusal: Refusal, _ part: AuditedPart, _ record: Record) -> Outcome {
        // A single certificate of local test data is refused for its environment.
        let lacksRoot = [RefusalCode.chainUntrusted, .environmentRefused].contains(refusal.code)
        guard lacksRoot, record.flags.contains(.configuredRoot) else {
            let place = (part.path ?? refusal.part).map { ", in \($0)" } ?? ""
            return .refused("\(refusal.code): \(refusal.reason)\(place)")
        }
        let claimed = ClaimedRoot(of: part.bytes, kind: part.kind, part: refusal.part)
        let isWhole = part.path == nil && refusal.part == nil && record.rootCertificate != .zero
        return .needsRoot(isWhole ? record.rootCertificate : claimed?.fingerprint ?? .zero, subject: claimed?.subject)
    }
}

extension SignedArtifact {
    /// The number of signatures: that of the artifact and those of the artifacts in it.
    fileprivate var signatureCount: UInt64 {
        guard case .notification(let notification) = self else { return 1 }
        return 1 + (notification.transaction == nil ? 0 : 1) + (notification.renewalInfo == nil ? 0 : 1)
            + (notification.appTransaction == nil ? 0 : 1)
    }
}
