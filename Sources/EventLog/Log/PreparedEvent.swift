/// A draft with its evidence packed: all that is written of it, and nothing of the many times longer verbatim bytes,
/// since thousands of these may wait for the writer. A class, because it passes through many hands on the way.
package final class PreparedEvent: Sendable {
    /// Its position, its recordedAt and whether it repeats another are the writer's to say.
    let record: Record
    let repeatIdentity: Identity?
    let packedEvidence: [UInt8]
    let facts: [UInt8]
    let indexTerms: [IndexTerm]

    init(_ draft: EventDraft, packedEvidence: [UInt8]) {
        record = draft.record
        repeatIdentity = draft.repeatIdentity
        self.packedEvidence = packedEvidence
        facts = draft.facts
        indexTerms = draft.indexTerms
    }

    package var artifact: ArtifactCode { record.artifact }

    package var byteCount: Int { record.byteCount + packedEvidence.count }
}
