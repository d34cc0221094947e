package import EventLog
import FactStore
package import LedgerModel
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

    /// - Parameters:
    ///   - terms: all that the act depends on. No signature is among them.
    ///   - identifiers: those of the customer, which the body must not have.
    ///   - customer: the customer of these identifiers.
    package static func requested(
        _ act: Act, _ terms: [JSONValue.Member], identifiers: Identifiers? = nil, of customer: CustomerHandle? = nil
    ) -> EventDraft {
        draft(.actRequested, act, act.idempotencyKey, terms, identifiers, indexed(customer, identifiers != nil))
    }

    /// The index entry of a stored request. One with identifiers is found by its customer.
    static func indexed(_ record: Record) -> IndexedFacts {
        let handle = try? JSONDocument(parsing: record.body).root["handle"]?.string
        return indexed(handle.flatMap { CustomerHandle(hex: $0) }, record.artifact == .identifiers)
    }

    private static func indexed(_ customer: CustomerHandle?, _ hasIdentifiers: Bool) -> IndexedFacts {
        guard hasIdentifiers, let customer else { return .none }
        return IndexedFacts(bytes: [], terms: [.claims(of: customer)])
    }

    /// - Parameter result: the outcome, and the code of a refusal.
    package static func answered(_ act: Act, _ result: [JSONValue.Member]) -> EventDraft {
        draft(.actAnswered, act, act.idempotencyKey + [EventKind.actAnswered.rawValue], result, nil, .none)
    }

    private static func draft(
        _ kind: EventKind, _ act: Act, _ key: [UInt8], _ members: [JSONValue.Member], _ identifiers: Identifiers?,
        _ facts: IndexedFacts
    ) -> EventDraft {
        let name = act.origin.keyName.map { [JSONValue.Member("key", .string($0))] } ?? []
        let body = JSONValue.object([.init("act", .string(act.name))] + members + name).canonical()
        return EventDraft(
            kind: kind, source: act.origin.source, environment: act.environment,
            artifact: identifiers == nil ? .none : .identifiers, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .none, environment: act.environment, key: key),
            evidence: identifiers?.evidence ?? .none,
            // The ledger's own events are not verified.
            verifiedAt: Instant(milliseconds: 0), body: body, attachment: facts)
    }
}
