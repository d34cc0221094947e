import EventLog
import FactStore
import Ingestion
package import LedgerAPI
package import LedgerModel
import LedgerStorage
import Primitives

/// Replays: what the ledger answered right after each event.
extension LedgerReader {
    /// Returns the state of the selected keys after each event about them, as of the time of its recording.
    /// - Returns: nil for an unknown subscription.
    /// - Complexity: O(n²) for n events.
    package func replay(of selector: SubscriptionSelector) throws -> ReplayAnswer? {
        let size = try knownSize(nil)
        let keys = try facts.keys(
            ofOriginalTransactionId: selector.originalTransactionId, environment: selector.environment,
            bundleId: selector.bundleId
        ).filter { selector.limits.allow(bundleId: $0.bundleId) && selector.limits.allow($0.environment) }
        guard !keys.isEmpty else { return nil }
        var related = RelatedTimelines(in: facts, knownAt: size)
        try related.add(keys)
        return try replay(at: try positions(under: related.askedTerms, below: size)) { query in
            try keys.compactMap { key in
                let one = SubscriptionSelector(
                    originalTransactionId: key.originalTransactionId, environment: key.environment,
                    bundleId: key.bundleId)
                return try state(of: one, query).map { (SubscriptionID(key), $0.subscriptions.first) }
            }
        }
    }

    /// Returns the state of the keys of a customer after each event about them.
    /// - Throws: `customer_id_invalid`; `StorageError`.
    /// - Complexity: O(n²) for n events.
    package func replay(ofCustomer externalId: String, scope: CustomerScope) throws -> ReplayAnswer {
        let size = try knownSize(nil)
        var lookup = CustomerLookup(in: self, AsOfQuery(asOf: .latest), size: size)
        _ = try lookup.timelines(of: reference(to: externalId))
        return try replay(at: try positions(under: Set(lookup.reads.terms), below: size)) { query in
            try state(ofCustomer: externalId, query, scope: scope).subscriptions.map { ($0.id, $0) }
        }
    }

    /// Returns the state of every key that an event of a range is about, after that event.
    /// - Complexity: O(r · n) for r events in the range and n events of a key.
    package func replay(in range: Range<Position>, scope: CustomerScope?) throws -> ReplayAnswer {
        let size = try knownSize(nil)
        var answer = ReplayAnswer()
        for position in range.clamped(to: 0..<size) {
            try WorkLimit.check()
            guard let event = try self.event(at: position) else { continue }
            let observations = try facts.facts(at: position)?.facts?.observations ?? []
            let keys = Set(
                observations.compactMap { keyed -> SubscriptionKey? in
                    if case .subscription(let key) = keyed.key { key } else { nil }
                })
            for key in keys.sorted() where scope?.contains(key) ?? true {
                let selector = SubscriptionSelector(
                    originalTransactionId: key.originalTransactionId, environment: key.environment,
                    bundleId: key.bundleId)
                let states = try [position, position + 1].map { known in
                    try state(of: selector, AsOfQuery(asOf: event.recordedAt, knownAt: .size(known)))
                        .flatMap { $0.subscriptions.first }
                }
                answer.rows.append(Self.row(of: event, SubscriptionID(key), before: states[0], after: states[1]))
            }
        }
        return answer
    }

    private func positions(under terms: Set<IndexTerm>, below size: Position) throws -> [Position] {
        let positions = try terms.reduce(into: Set<Position>()) { $0.formUnion(try facts.positions(under: $1)) }
        return positions.filter { $0 < size }.sorted()
    }

    /// Adds a row for each state that differs from the one after the event before.
    private func replay(
        at positions: [Position], states: (AsOfQuery) throws -> [(SubscriptionID, SubscriptionRow?)]
    ) throws -> ReplayAnswer {
        var answer = ReplayAnswer()
        var before: [SubscriptionID: SubscriptionRow] = [:]
        for position in positions {
            try WorkLimit.check()
            guard let event = try self.event(at: position) else { continue }
            for (id, after) in try states(AsOfQuery(asOf: event.recordedAt, knownAt: .size(position + 1))) {
                answer.rows.append(Self.row(of: event, id, before: before[id], after: after))
                before[id] = after
            }
        }
        return answer
    }

    private func event(at position: Position) throws -> EventRow? { try event(at: position, facts: false) }

    private static func row(
        of event: EventRow, _ id: SubscriptionID, before: SubscriptionRow?, after: SubscriptionRow?
    ) -> ReplayAnswer.Row {
        ReplayAnswer.Row(
            position: event.position, recordedAt: event.recordedAt, kind: event.kind, about: event.about, id: id,
            changed: changes(from: before, to: after), state: after)
    }

    /// The members of a state that differ. The evidence grows with every event and is left out.
    private static func changes(from before: SubscriptionRow?, to after: SubscriptionRow?) -> [String] {
        guard let after, case .object(let members) = after.json.read else { return before == nil ? [] : ["state"] }
        let old = before?.json.read
        return members.map(\.key).filter { key in
            key != "evidence" && old?[member: key] != after.json.read[member: key]
        }
    }
}
