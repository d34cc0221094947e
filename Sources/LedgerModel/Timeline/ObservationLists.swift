/// The observations of one key by kind, in any order and with any repetitions.
package struct ObservationLists: Sendable {
    private var transactions: [Observed<TransactionFact>] = []
    private var renewals: [Observed<RenewalFact>] = []
    private var notifications: [Observed<NotificationFact>] = []

    package init() {}

    package mutating func append(_ observation: Observation) {
        switch observation.fact {
        case .transaction(let fact): transactions.append(Observed(source: observation.source, value: fact))
        case .renewal(let fact): renewals.append(Observed(source: observation.source, value: fact))
        case .notification(let fact): notifications.append(Observed(source: observation.source, value: fact))
        case .app: break
        }
    }

    /// Nil without observations.
    package var timeline: Timeline? {
        let isEmpty = transactions.isEmpty && renewals.isEmpty && notifications.isEmpty
        return isEmpty
            ? nil : Timeline(transactions: transactions, renewals: renewals, notifications: notifications)
    }
}
