package import EventLog
import FactStore
package import LedgerModel
import Primitives

/// Encodes and decodes the events that erase customers.
///
/// With evidence, the event's own evidence is the residue. A residue above the limit has several events: the last one
/// names the customer, and those before it only have lines.
package enum ErasureEvents {
    /// The number of bytes of one residue.
    package static let residueLimit = 8 * 1_024 * 1_024

    /// An erasure as its event has it.
    package struct Terms: Hashable, Sendable {
        package let customer: CustomerHandle
        /// Whether evidence was erased.
        package let withEvidence: Bool
        /// The role of the caller.
        package let by: String

        package init(customer: CustomerHandle, withEvidence: Bool, by: String) {
            (self.customer, self.withEvidence, self.by) = (customer, withEvidence, by)
        }
    }

    /// The event that erases a customer.
    /// - Parameters:
    ///   - residue: the lines of the erased evidence; empty without evidence.
    ///   - nonce: random; distinguishes the idempotency keys of erasures.
    package static func erased(_ terms: Terms, residue: [UInt8], nonce: [UInt8], _ origin: EventOrigin) -> EventDraft {
        let fact = CustomerFact.directory(.erasure(Erasure(customer: terms.customer, position: 0)))
        return draft(
            residue, key: nonce, origin,
            body: [
                .init("handle", .string(terms.customer.hex)), .init("evidence", .bool(terms.withEvidence)),
                .init("by", .string(terms.by)),
            ], IndexedFacts(EventFacts(fact)))
    }

    /// An event with lines of the residue that the last one has no room for.
    package static func residue(_ lines: [UInt8], part: Int, nonce: [UInt8], _ origin: EventOrigin) -> EventDraft {
        draft(
            lines, key: nonce + Int64(part).bigEndianBytes, origin, body: [.init("part", .integer(Int64(part)))], .none)
    }

    private static func draft(
        _ residue: [UInt8], key: [UInt8], _ origin: EventOrigin, body: [JSONValue.Member], _ facts: IndexedFacts
    ) -> EventDraft {
        let name = origin.keyName.map { [JSONValue.Member("key", .string($0))] } ?? []
        return EventDraft(
            kind: .customerErased, source: origin.source, environment: .none,
            artifact: residue.isEmpty ? .none : .erasureResidue, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .erasureResidue, environment: .none, key: key),
            evidence: residue.isEmpty ? .none : Evidence(bytes: residue),
            // The ledger's own events are not verified.
            verifiedAt: Instant(milliseconds: 0), body: JSONValue.object(body + name).canonical(), attachment: facts)
    }

    /// Returns the fact in an event that erases a customer; nil for another event.
    package static func fact(in record: Record) -> CustomerFact? {
        guard record.kind == .customerErased, let body = try? JSONDocument(parsing: record.body).root,
            let customer = body["handle"]?.string.flatMap({ CustomerHandle(hex: $0) })
        else { return nil }
        return .directory(.erasure(Erasure(customer: customer, position: record.position)))
    }

    /// Returns the places of the lines of a residue, by the positions of their events; nil for damaged lines.
    /// - Parameter position: the position of the event with the residue.
    package static func places(in residue: [UInt8], of position: Position) -> [Position: ResiduePlace]? {
        var places: [Position: ResiduePlace] = [:]
        var start = 0
        while start < residue.count {
            guard let end = residue[start...].firstIndex(of: UInt8(ascii: "\n")),
                let event = try? JSONDocument(parsing: Array(residue[start..<end])).root["position"]?.integer
            else { return nil }
            places[Position(clamping: event)] = ResiduePlace(erasedBy: position, range: start..<end)
            start = end + 1
        }
        return places
    }
}
