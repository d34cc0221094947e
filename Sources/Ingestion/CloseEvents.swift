package import EventLog
import FactStore
package import LedgerModel
package import LedgerStorage
package import Primitives

/// Encodes and decodes the events that close numbers.
///
/// The evidence has a line of RFC 8785 JSON for each number that is not 0. The body has the terms of the numbers and the
/// digest of the evidence.
package enum CloseEvents {
    /// The index entry of a close. The event has no facts about subscriptions.
    static let indexed = IndexedFacts(bytes: [], terms: [.numbersCloses])

    /// - Parameters:
    ///   - cells: the lines of the numbers.
    ///   - newest: the newest close. It distinguishes the idempotency key of numbers that are closed again.
    package static func closed(
        _ terms: NumbersClose.Terms, cells: [UInt8], after newest: Position?, source: EventSource
    ) -> EventDraft {
        let digest = Digest.sha256(of: cells)
        guard case .object(var members) = terms.json else { preconditionFailure("terms are an object") }
        members.append(.init("digest", .string(digest.hex)))
        let body = JSONValue.object(members).canonical()
        let key = Digest.sha256(of: body).bytes + (newest ?? .max).bigEndianBytes
        return EventDraft(
            kind: .numbersClosed, source: source, environment: .none, artifact: .closeCells, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .closeCells, environment: .none, key: key),
            evidence: cells.isEmpty ? .none : Evidence(bytes: cells),
            // The ledger's own events are not verified.
            verifiedAt: Instant(milliseconds: 0), body: body, attachment: indexed)
    }

    /// Returns the close in an event; nil for an event of another kind.
    /// - Throws: `log_corrupt` when the body is incomplete.
    package static func close(in record: Record) throws(StorageError) -> NumbersClose? {
        guard record.kind == .numbersClosed else { return nil }
        guard let body = try? JSONDocument(parsing: record.body).root, let terms = NumbersClose.Terms(body),
            let digest = body["digest"]?.string.flatMap(Digest.init(hex:))
        else { throw StorageError(.logCorrupt, "the close at position \(record.position) is incomplete") }
        return NumbersClose(terms, digest: digest, recordedAt: record.recordedAt, position: record.position)
    }
}
