/// A draft with packed evidence: everything the log stores of it, without the much longer verbatim bytes. Thousands may
/// wait for the writer. A class, so that passing it copies only a reference.
package final class PreparedEvent: Sendable {
    /// The writer sets the position, recordedAt and the flag `repeats`.
    let record: Record
    package let notificationKey: IdempotencyKey?
    let packedEvidence: [UInt8]
    package let attachment: (any Sendable)?
    /// The event to append when this one is in the log already.
    package let ifRepeated: PreparedEvent?

    init(_ draft: EventDraft, packedEvidence: [UInt8], ifRepeated: PreparedEvent? = nil) {
        self.ifRepeated = ifRepeated
        record = draft.record
        notificationKey = draft.notificationKey
        self.packedEvidence = packedEvidence
        attachment = draft.attachment
    }

    package var artifact: ArtifactCode { record.artifact }

    package var byteCount: Int { record.byteCount + packedEvidence.count }

    var keys: [IdempotencyKey] { [record.idempotencyKey, notificationKey].compactMap(\.self) }
}
