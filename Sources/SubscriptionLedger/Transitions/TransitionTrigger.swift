import EventLog
import LedgerModel
import Primitives
import SubscriptionStatus

/// An event that may change the rows of a unit.
struct TransitionTrigger {
    enum Kind {
        case observations
        case customers(CustomerFact)
        case activation
    }

    let position: Position
    let recordedAt: Instant
    let kind: Kind

    /// The event about customers; nil for other events.
    var customerFact: CustomerFact? {
        if case .customers(let fact) = kind { fact } else { nil }
    }

    /// Whether owners change at `recordedAt`. Otherwise they change at the instants of tokens.
    var movesOwnersAtOnce: Bool {
        if case .observations = kind { false } else { true }
    }

    /// Returns the keys with new facts, or the keys for which the event may change the owner or the owner's ids. An
    /// activation may change all.
    func keys(in unit: UnitFacts) -> Set<SubscriptionKey> {
        switch kind {
        case .customers(let fact): unit.customers.keys(decidedBy: fact, among: unit.timelines)
        case .observations: Set(unit.timelines.filter { $0.value.hasFacts(at: position) }.keys)
        case .activation: Set(unit.timelines.keys)
        }
    }

    /// Returns the cause of a row that changes only the owners.
    func cause(of key: SubscriptionKey, _ known: KnownSubscriptions) -> String {
        switch kind {
        case .observations: known.cause(of: key, at: position).name
        case .customers(let fact): fact.cause
        case .activation: EventKind.rulesActivated.name
        }
    }
}

extension Timeline {
    /// Whether an event added facts.
    fileprivate func hasFacts(at position: Position) -> Bool {
        transactions.contains { $0.source.position == position }
            || renewals.contains { $0.source.position == position }
            || notifications.contains { $0.source.position == position }
    }
}
