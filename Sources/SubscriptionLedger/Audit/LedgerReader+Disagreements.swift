import EventLog
import FactStore
import Ingestion
package import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionStatus

extension LedgerReader {
    /// Returns every status that Apple stated with a notification or an answer and that differs from the fold at its signedDate,
    /// under the active rules, ordered by key and signedDate.
    ///
    /// - Parameter progress: called with the number of events read.
    /// - Complexity: O(n log n) for n events; keeps the keys of all statuses in memory.
    package func disagreements(progress: (UInt64) -> Void = { _ in }) throws -> [DisagreementRow] {
        let size = try knownSize(nil)
        let rules = try rules(knownAt: size)
        let keys = try keysOfStatuses(below: size, progress)
        return try keys.sorted().flatMap { key in
            let timelines = try facts.timelines(around: key, knownAt: size)
            return Lineage.components(of: timelines).disagreements(rules: rules).filter { $0.key == key }
                .map(DisagreementRow.init)
        }
    }

    private func keysOfStatuses(
        below size: Position, _ progress: (UInt64) -> Void
    ) throws -> Set<SubscriptionKey> {
        var keys: Set<SubscriptionKey> = []
        var position: Position = 0
        while position < size {
            progress(position)
            position = try log.forEach(from: position, below: size, limit: 1_024) { record, evidence in
                guard record.kind == .notificationReceived || record.kind == .statusPolled else { return }
                for keyed in try EventDecoder.facts(record, evidence)?.observations ?? [] {
                    if case .notification(let fact) = keyed.observation.fact, fact.status != nil,
                        case .subscription(let key) = keyed.key
                    {
                        keys.insert(key)
                    }
                }
            }
        }
        return keys
    }
}

extension DisagreementRow {
    fileprivate init(_ disagreement: Disagreement) {
        self.init(
            id: SubscriptionID(disagreement.key), signedDate: disagreement.signedDate,
            disagreement: SubscriptionRow.Disagreement(disagreement))
    }
}
