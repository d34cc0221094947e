package import AppStoreModel
import AppStoreTranslation
import EventLog
package import LedgerModel

extension Derived {
    /// The keys that have this originalTransactionId, in the order of keys.
    package func keys(
        ofOriginalTransactionId id: String, environment: Environment? = nil, bundleId: String? = nil
    ) throws -> [SubscriptionKey] {
        let observations = try observations(under: .originalTransactionId(id))
        let keys = observations.compactMap { filed -> SubscriptionKey? in
            guard case .subscription(let key) = filed.key, key.originalTransactionId == id,
                environment.map({ $0 == key.environment }) ?? true, bundleId.map({ $0 == key.bundleId }) ?? true
            else { return nil }
            return key
        }
        return Set(keys).sorted()
    }

    /// The timelines of a key and of every key that may be joined with it, as known when the log held `size` events.
    ///
    /// Follows shared terms until nothing new comes; which of the keys are one lineage the fold decides.
    package func timelines(around key: SubscriptionKey, knownAt size: Position) throws -> [SubscriptionKey: Timeline] {
        var observations: [SubscriptionKey: [Observation]] = [:]
        var visited: Set<IndexTerm> = []
        var open: [IndexTerm] = [.subscription(key)]
        while let term = open.popLast() {
            guard visited.insert(term).inserted else { continue }
            for filed in try self.observations(under: term) where filed.observation.source.position < size {
                guard case .subscription(let found) = filed.key else { continue }
                observations[found, default: []].append(filed.observation)
                open.append(.subscription(found))
                open += filed.joints(of: found)
            }
        }
        return observations.mapValues { Timeline($0) }
    }

    private func observations(under term: IndexTerm) throws -> [FiledObservation] {
        var observations: [FiledObservation] = []
        for event in try events(under: term) where !event.facts.isEmpty {
            guard
                let facts = EventFacts(bytes: event.facts, position: event.position, recordedAt: event.recordedAt)
            else {
                throw EventLogError(
                    .logCorrupt, "the facts of position \(event.position) are damaged",
                    hint: "Remove derived/; it is made again from the log.")
            }
            observations += facts.observations
        }
        return observations
    }
}
