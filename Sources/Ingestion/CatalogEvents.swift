package import EventLog
import FactStore
package import LedgerModel
package import LedgerStorage
package import Primitives

/// Encodes and decodes the events that change the catalogue of an app.
///
/// The evidence is the text of the catalogue file. The body has the app and the digest of the text.
package enum CatalogEvents {
    /// The index entry of a change. The event has no facts about subscriptions.
    static let indexed = IndexedFacts(bytes: [], terms: [.catalogChanges])

    /// - Parameters:
    ///   - text: the catalogue file.
    ///   - newest: the newest change of any catalogue. It distinguishes the idempotency key of a catalogue that is
    ///     applied again later.
    package static func applied(
        _ catalog: Catalog, text: String, after newest: Position?, source: EventSource
    ) -> EventDraft {
        let evidence = Array(text.utf8)
        let digest = Digest.sha256(of: evidence)
        let key = digest.bytes + (newest ?? .max).bigEndianBytes
        let body = JSONValue.object(["bundleId": .string(catalog.bundleId.text), "digest": .string(digest.hex)])
        return EventDraft(
            kind: .catalogChanged, source: source, environment: .none, artifact: .yaml, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .yaml, environment: .none, key: key),
            evidence: Evidence(bytes: evidence),
            // The ledger's own events are not verified.
            verifiedAt: Instant(milliseconds: 0), body: body.canonical(), attachment: indexed)
    }

    /// Returns the app whose catalogue an event changes; nil for an event of another kind.
    /// - Throws: `log_corrupt` when the body is not that of `evidence`.
    package static func bundleId(in record: Record, _ evidence: [UInt8]) throws(StorageError) -> String? {
        guard record.kind == .catalogChanged else { return nil }
        guard record.statesDigest(of: evidence), let bundleId = EventDecoder.bundleId(in: record.body) else {
            throw StorageError(
                .logCorrupt, "the catalogue at position \(record.position) does not match its digest")
        }
        return bundleId
    }
}
