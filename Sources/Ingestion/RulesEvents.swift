package import EventLog
import FactStore
package import LedgerModel
import LedgerStorage
package import Primitives

/// Encodes and decodes the events that activate rules.
///
/// The evidence is the text of the rules file. The body has the rules with every default filled in, so that an event
/// keeps its meaning when a later version reads the file differently.
package enum RulesEvents {
    /// The index entry of an activation. The event has no facts about subscriptions.
    static let indexed = IndexedFacts(bytes: [], terms: [.rulesActivations])

    /// - Parameters:
    ///   - text: the rules file.
    ///   - by: the name of the person or of the API key.
    ///   - newest: the newest activation. It distinguishes the idempotency key of rules that are activated again later.
    package static func activated(
        _ rules: Rules, text: String, by: String, after newest: Position?, source: EventSource
    ) -> EventDraft {
        let key = rules.digest.bytes + (newest ?? .max).bigEndianBytes
        let body = JSONValue.object([
            "by": .string(by), "digest": .string(rules.digest.hex), "name": .string(rules.name), "rules": rules.json,
        ])
        return EventDraft(
            kind: .rulesActivated, source: source, environment: .none, artifact: .yaml, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .yaml, environment: .none, key: key),
            evidence: text.isEmpty ? .none : Evidence(bytes: Array(text.utf8)),
            // The ledger's own events are not verified.
            verifiedAt: Instant(milliseconds: 0), body: body.canonical(), attachment: indexed)
    }

    /// Returns the activation in an event; nil for an event of another kind.
    /// - Throws: `StorageError`: `log_corrupt`; `version_unknown` for rules that only a later version knows.
    package static func activation(in record: Record) throws -> RulesActivation? {
        guard record.kind == .rulesActivated else { return nil }
        guard let body = body(of: record) else {
            throw StorageError(.logCorrupt, "the rules at position \(record.position) do not match their digest")
        }
        guard let rules = Rules(json: body.rules) else {
            throw StorageError(
                .versionUnknown, "the rules activated at position \(record.position) have unknown keys or values",
                hint: "Use the version of subledger that activated them, or a later one.")
        }
        return RulesActivation(
            rules: rules, digest: body.digest, by: body.by, recordedAt: record.recordedAt, position: record.position)
    }

    /// Whether the body of an activation is complete and its digest is that of its rules.
    package static func isSound(_ record: Record) -> Bool { body(of: record) != nil }

    private static func body(of record: Record) -> (rules: JSONView, digest: Digest, by: String)? {
        guard let body = try? JSONDocument(parsing: record.body).root, let rules = body["rules"],
            let by = body["by"]?.string, let digest = body["digest"]?.string.flatMap(Digest.init(hex:)),
            // The body is canonical, and so is each part of it.
            digest == .sha256(of: record.body[rules.byteRange])
        else { return nil }
        return (rules, digest, by)
    }
}
