import AppStoreVerification
import EventLog
import Ingestion
import Primitives

/// The checks of an event's content that need to know its kind.
enum EventChecks {
    /// Checks that the idempotency key of an event matches its evidence, and the digest of rules, of a catalogue, of
    /// rates or of closed numbers their content.
    static func run(_ record: Record, _ evidence: [UInt8]) -> Result<Void, LogAudit.EventProblem> {
        if let what = fault(of: record, evidence) { return .failure(LogAudit.EventProblem(what: what)) }
        return .success(())
    }

    private static func fault(of record: Record, _ evidence: [UInt8]) -> String? {
        switch record.kind {
        case .rulesActivated where !RulesEvents.isSound(record): return "the rules do not match their digest"
        case .catalogChanged where !record.statesDigest(of: evidence): return "the catalogue does not match its digest"
        case .ratesChanged where !record.statesDigest(of: evidence): return "the rates do not match their digest"
        case .numbersClosed where !record.statesDigest(of: evidence):
            return "the closed numbers do not match their digest"
        case _
        where record.artifact == .erasureResidue && ErasureEvents.places(in: evidence, of: record.position) == nil:
            return "the residue cannot be decoded"
        default: break
        }
        do {
            return try isIdentified(record, evidence) ? nil : "the identity does not match the evidence"
        } catch let refusal as Refusal {
            return "the evidence cannot be decoded: \(refusal.reason)"
        } catch {
            return "the answer cannot be decoded"
        }
    }

    /// Whether the idempotency key is that of the evidence; true for events that have no key of their evidence.
    private static func isIdentified(_ record: Record, _ evidence: [UInt8]) throws -> Bool {
        let key = record.idempotencyKey
        if let stored = try AnswerEvents.stored(record, evidence) { return stored.hasIdempotencyKey(key) }
        if let stored = try VerifyReceiptEvents.stored(record, evidence) { return stored.hasIdempotencyKey(key) }
        if let stored = try NotificationV1Events.stored(record, evidence) { return stored.hasIdempotencyKey(key) }
        if let stored = try TransactionReceiptEvents.stored(record, evidence) { return stored.hasIdempotencyKey(key) }
        guard let kind = ArtifactKind(record.artifact) else { return true }
        let artifact = try StoredArtifact(evidence, kind: kind)
        return key
            == IdempotencyKey(
                artifact: record.artifact, environment: record.environment, key: artifact.signingInput.bytes)
    }
}
