package import LedgerModel
package import Primitives

extension Sequence<Lineage> {
    /// Every instant where a row of `states` may change; between two of them none does.
    package func turningPoints(rules: Rules) -> [Instant] {
        flatMap(\.subscriptions).flatMap { $0.turningPoints(rules: rules.access) }
    }
}

extension Subscription {
    /// Every instant up to `t` where an input of some rule of this folder changes, ascending.
    func turningPoints(until t: Instant, rules: Rules.Access) -> [Instant] {
        turningPoints(rules: rules).filter { $0 <= t }.sorted()
    }

    fileprivate func turningPoints(rules: Rules.Access) -> Set<Instant> {
        var instants: Set<Instant> = []
        for period in periods { instants.formUnion(period.turningPoints(rules)) }
        for renewal in renewalInfo.steps {
            instants.insert(renewal.source.time)
            if let expires = renewal.value.gracePeriodExpiresDate { instants.insert(expires) }
        }
        instants.formUnion(notifications.map(\.source.time))
        return instants
    }
}

extension Period {
    fileprivate func turningPoints(_ rules: Rules.Access) -> [Instant] {
        var instants = [start] + sources.map(\.time)
        // A revocation ends, and an end moves, when a source says so.
        instants += revocations.map(\.start)
        if let replacement { instants.append(replacement.start) }
        for end in expiresDate.steps.map(\.value) {
            instants += [end] + Moment.deadlines(after: end, rules)
        }
        return instants
    }
}
