import LedgerModel
import Primitives

extension Subscription {
    /// Every instant up to `t` where an input of some rule of this folder changes, ascending.
    func turningPoints(until t: Instant, rules: Rules.Access) -> [Instant] {
        var instants: Set<Instant> = []
        for period in periods { instants.formUnion(period.turningPoints(rules)) }
        for renewal in renewalInfo.steps {
            instants.insert(renewal.source.time)
            if let expires = renewal.value.gracePeriodExpiresDate { instants.insert(expires) }
        }
        instants.formUnion(notifications.map(\.source.time))
        return instants.filter { $0 <= t }.sorted()
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
