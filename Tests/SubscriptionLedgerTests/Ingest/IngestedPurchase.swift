import EventLog
import FactStore
import LedgerModel
import Primitives
import SubscriptionLedger
import SubscriptionStatus

/// The timelines of one purchase and of the keys joined with it, folded as of the requested sizes.
struct IngestedPurchase {
    let id: String
    private let timelines: [SubscriptionKey: Timeline]

    init(_ id: String, in ledger: LedgerWriter) throws {
        self.id = id
        let key = try ledger.reader.facts.keys(ofOriginalTransactionId: id).first
        timelines = try key.map { try ledger.reader.facts.timelines(around: $0, knownAt: .max) } ?? [:]
    }

    func state(at instant: Instant, knownAt size: Position = .max) -> SubscriptionState? {
        let known = timelines.mapValues { $0.known(at: size) }.filter { !$0.value.observations.isEmpty }
        return Lineage.components(of: known).states(at: instant, rules: Rules())
            .first { $0.key.originalTransactionId == id }
    }
}
