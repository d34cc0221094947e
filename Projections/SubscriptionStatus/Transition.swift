package import LedgerModel
package import Primitives

/// A change of (status, product, willRenew, access): a row of `history`.
package struct Transition: Hashable, Sendable {
    package let at: Instant
    /// Nil for the first.
    package let from: SubscriptionState?
    package let to: SubscriptionState
    package let cause: Cause
    /// When the ledger learned the cause; nil when that is time.
    package let recordedAt: Instant?
    package let evidence: [Position]
}

/// The transitions of one key.
package struct SubscriptionHistory: Hashable, Sendable {
    package let key: SubscriptionKey
    /// In the order of time.
    package let transitions: [Transition]
}

extension Subscription {
    /// Every transition up to and at `t`.
    ///
    /// The state is a step function of the instant, so it is enough to look at the instants where one of its inputs
    /// turns.
    func history(until t: Instant, rules: Rules, causes: Causes) -> SubscriptionHistory {
        let periods = listedPeriods
        var transitions: [Transition] = []
        var current: SubscriptionState?
        for instant in turningPoints(until: t, rules: rules.access) {
            guard let moment = Moment(self, periods: periods, at: instant, rules: rules.access) else { continue }
            let next = SubscriptionState(moment)
            guard next.isTransition(from: current) else { continue }
            let statement = causes.statement(of: Change(at: instant, from: current, to: next, in: self))
            transitions.append(
                Transition(
                    at: instant, from: current, to: next, cause: statement?.cause ?? .time,
                    recordedAt: statement?.source.recordedAt,
                    evidence: [Position](distinct: next.evidence + (statement.map { [$0.source.position] } ?? []))))
            current = next
        }
        return SubscriptionHistory(key: key, transitions: transitions)
    }
}

extension SubscriptionState {
    fileprivate func isTransition(from other: SubscriptionState?) -> Bool {
        guard let other else { return true }
        return differsBeyondRenewal(from: other) || willRenew != other.willRenew
    }

    func differsBeyondRenewal(from other: SubscriptionState) -> Bool {
        status != other.status || productId != other.productId || access != other.access
    }
}
