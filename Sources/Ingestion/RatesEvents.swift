package import EventLog
import FactStore
package import LedgerModel
package import Primitives

/// Encodes the events that add exchange rates.
///
/// The evidence is the text of the rates file. The body has the currency and the digest of the text.
package enum RatesEvents {
    /// The index entry of an addition. The event has no facts about subscriptions.
    static let indexed = IndexedFacts(bytes: [], terms: [.ratesChanges])

    /// - Parameters:
    ///   - text: the rates file.
    ///   - newest: the newest addition. It distinguishes the idempotency key of rates that are applied again later.
    package static func applied(
        _ rates: ExchangeRates, text: String, after newest: Position?, source: EventSource
    ) -> EventDraft {
        let evidence = Array(text.utf8)
        let digest = Digest.sha256(of: evidence)
        let key = digest.bytes + (newest ?? .max).bigEndianBytes
        let body = JSONValue.object(["currency": .string(rates.currency.text), "digest": .string(digest.hex)])
        return EventDraft(
            kind: .ratesChanged, source: source, environment: .none, artifact: .yaml, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .yaml, environment: .none, key: key),
            evidence: Evidence(bytes: evidence),
            // The ledger's own events are not verified.
            verifiedAt: Instant(milliseconds: 0), body: body.canonical(), attachment: indexed)
    }
}
