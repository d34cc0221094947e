package import EventLog
import FactStore
package import Primitives

/// Encodes what the ledger asks of Apple, or signs for Apple: an event before, and one after.
package enum ActEvents {
    /// An act, identified by its idempotency key.
    package struct Act: Sendable {
        package let name: String
        package let idempotencyKey: [UInt8]
        package let environment: EnvironmentCode
        package let origin: EventOrigin

        package init(_ name: String, idempotencyKey: [UInt8], environment: EnvironmentCode, _ origin: EventOrigin) {
            self.name = name
            self.idempotencyKey = idempotencyKey
            self.environment = environment
            self.origin = origin
        }
    }

    /// - Parameter terms: all that the act depends on. No signature is among them.
    package static func requested(_ act: Act, _ terms: [JSONValue.Member]) -> EventDraft {
        draft(.actRequested, act, act.idempotencyKey, terms)
    }

    /// - Parameter result: the outcome, and the code of a refusal.
    package static func answered(_ act: Act, _ result: [JSONValue.Member]) -> EventDraft {
        draft(.actAnswered, act, act.idempotencyKey + [EventKind.actAnswered.rawValue], result)
    }

    private static func draft(
        _ kind: EventKind, _ act: Act, _ key: [UInt8], _ members: [JSONValue.Member]
    ) -> EventDraft {
        let name = act.origin.keyName.map { [JSONValue.Member("key", .string($0))] } ?? []
        let body = JSONValue.object([.init("act", .string(act.name))] + members + name).canonical()
        return EventDraft(
            kind: kind, source: act.origin.source, environment: act.environment, artifact: .none, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .none, environment: act.environment, key: key),
            // The ledger's own events are not verified.
            verifiedAt: Instant(milliseconds: 0), body: body, attachment: IndexedFacts.none)
    }
}
