/// The observations of one key by kind, in any order and with any repetitions.
package struct ObservationLists: Sendable {
    private var transactions: [Observed<TransactionFact>] = []
    private var renewals: [Observed<RenewalFact>] = []
    private var notifications: [Observed<NotificationFact>] = []

    package init() {}

    package mutating func append(_ observation: Observation) {
        switch observation.fact {
        case .transaction(let fact): append(observation.source, fact)
        case .renewal(let fact): append(observation.source, fact)
        case .notification(let fact): append(observation.source, fact)
        case .app: break
        }
    }

    mutating func append(_ source: Source, _ fact: TransactionFact) {
        transactions.append(Observed(source: source, value: fact))
    }

    mutating func append(_ source: Source, _ fact: RenewalFact) {
        renewals.append(Observed(source: source, value: fact))
    }

    mutating func append(_ source: Source, _ fact: NotificationFact) {
        notifications.append(Observed(source: source, value: fact))
    }

    /// Nil without observations.
    package var timeline: Timeline? {
        let isEmpty = transactions.isEmpty && renewals.isEmpty && notifications.isEmpty
        return isEmpty
            ? nil : Timeline(transactions: transactions, renewals: renewals, notifications: notifications)
    }
}
