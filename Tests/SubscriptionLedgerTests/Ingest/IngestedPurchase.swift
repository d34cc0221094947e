import EventLog
import LedgerModel
import Primitives
import ProjectionRuntime
import SubscriptionLedger
import SubscriptionStatus

/// The timelines of one purchase and of what is joined with it, folded as of the sizes asked.
struct IngestedPurchase {
    let id: String
    private let timelines: [SubscriptionKey: Timeline]

    init(_ id: String, in ledger: Ledger) throws {
        self.id = id
        let key = try ledger.derived.keys(ofOriginalTransactionId: id).first
        timelines = try key.map { try ledger.derived.timelines(around: $0, knownAt: .max) } ?? [:]
    }

    func state(at instant: Instant, knownAt size: Position = .max) -> SubscriptionState? {
        let known = timelines.mapValues { $0.known(at: size) }.filter { !$0.value.observations.isEmpty }
        return Lineage.components(of: known).states(at: instant, rules: Rules())
            .first { $0.key.originalTransactionId == id }
    }
}
