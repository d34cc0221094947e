package import LedgerModel
package import Primitives

/// A row of `history`.
package struct Transition: Hashable, Sendable {
    package let at: Instant
    /// At least one.
    package let change: [ChangeWord]
    /// Nil for the first.
    package let from: SubscriptionState?
    package let to: SubscriptionState
    package let cause: Cause
    /// The change in sentences: refunds of other purchases, then the state it leads to.
    package let explanation: String
    /// The time the ledger recorded the cause; nil when that is time.
    package let recordedAt: Instant?
    package let evidence: [Position]
}

/// The transitions of one key.
package struct SubscriptionHistory: Hashable, Sendable {
    package let key: SubscriptionKey
    /// In the order of time.
    package let transitions: [Transition]
    /// The number of statuses that Apple signed and that the fold at their signedDate differs from.
    package let disagreementCount: Int
}

extension Subscription {
    /// Every transition up to and at `t`.
    ///
    /// The state is a step function of the instant, so it is enough to look at the instants where one of its inputs
    /// turns. A row stands for every change of the period or of `FollowedState`, and for every revocation of any period.
    ///
    /// - Complexity: O(n log n) for n facts, but for `SubscriptionState.accessUntil` of each row.
    func history(until t: Instant, in lineage: Lineage, rules: Rules, causes: Causes) -> SubscriptionHistory {
        let periods = listedPeriods
        let surroundings = RowSurroundings(self, in: lineage, periods: periods, rules: rules.access)
        let boundaries = RevocationBoundaries(periods)
        var transitions: [Transition] = []
        var current: (followed: FollowedState, period: Period)?
        for instant in turningPoints(of: periods, until: t, rules: rules.access) {
            guard let context = StatusContext(key, periods: periods, at: instant, rules: rules.access) else { continue }
            let followed = FollowedState(context)
            let revocations = current == nil ? [] : boundaries.changes(at: instant)
            let isTransition = current?.followed != followed || current?.period.name != context.period.name
            guard isTransition || !revocations.isEmpty else { continue }
            let change = Change(
                at: instant, from: transitions.last?.to, to: SubscriptionState(context, surroundings),
                context: context, previous: current?.period, revocations: revocations)
            transitions.append(Transition(change, statement: causes.statement(of: change)))
            current = (followed, context.period)
        }
        return SubscriptionHistory(
            key: key, transitions: transitions, disagreementCount: surroundings.disagreements.count)
    }
}

extension Transition {
    fileprivate init(_ change: Change, statement: (source: Source, cause: Cause)?) {
        at = change.at
        self.change = change.words
        from = change.from
        to = change.to
        cause = statement?.cause ?? .time
        explanation = (change.refundSentences + [change.context.explanation]).joined(separator: " ")
        recordedAt = statement?.source.recordedAt
        evidence = [Position](distinct: change.to.evidence + (statement.map { [$0.source.position] } ?? []))
    }
}

/// The instants at which the revocation of a period begins or ends.
private struct RevocationBoundaries {
    private var byInstant: [Instant: [Period]] = [:]

    init(_ periods: [Period]) {
        for period in periods where !period.revocations.isEmpty {
            let instants = Set(period.revocations.flatMap { [$0.start, $0.end].compactMap(\.self) })
            for instant in instants { byInstant[instant, default: []].append(period) }
        }
    }

    /// The periods whose revocation begins or ends at `instant`, each with the revocation that does.
    func changes(at instant: Instant) -> [(period: Period, revocation: Revocation)] {
        (byInstant[instant] ?? []).compactMap { period in
            let before = period.revocation(at: instant.advanced(byMilliseconds: -1))
            let now = period.revocation(at: instant)
            guard (before == nil) != (now == nil) else { return nil }
            return (before ?? now).map { (period, $0) }
        }
    }
}
