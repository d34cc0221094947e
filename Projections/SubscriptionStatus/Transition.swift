package import LedgerModel
package import Primitives

/// A row of `history`.
package struct Transition: Hashable, Sendable {
    package let at: Instant
    /// The changes, at least one.
    package let change: [ChangeWord]
    /// The state before the transition; nil for the first.
    package let from: SubscriptionState?
    package let to: SubscriptionState
    package let cause: Cause
    private let sentences: Explanation
    /// The time the ledger recorded the cause; nil when the cause is time.
    package let recordedAt: Instant?
    package let evidence: [Position]

    /// The change in sentences: refunds of other purchases, then the new state, then a new price.
    package var explanation: String { sentences.text }

    fileprivate init(_ change: Change, statement: (source: Source, cause: Cause)?) {
        at = change.at
        self.change = change.words
        from = change.from
        to = change.to
        cause = statement?.cause ?? .time
        sentences = Explanation(change)
        recordedAt = statement?.source.recordedAt
        var evidence = change.to.evidence
        if let statement { evidence.insert(distinct: statement.source.position) }
        self.evidence = evidence
    }
}

/// The transitions of one key.
package struct SubscriptionHistory: Hashable, Sendable {
    package let key: SubscriptionKey
    /// The transitions, ordered by time.
    package let transitions: [Transition]
    /// The number of statuses signed by Apple that differ from the folded status at their signedDate.
    package let disagreementCount: Int
}

extension Subscription {
    /// Returns every transition up to and including `t`.
    ///
    /// The state is a step function of the instant, so only the instants at which one of its inputs changes are
    /// examined. A row represents a change of the period or of `FollowedState`, or a revocation of any period that
    /// starts or ends.
    ///
    /// - Complexity: O(n log n) for n facts, without the `accessUntil` of each row.
    func history(
        until t: Instant, in lineage: Lineage, rules: Rules, causes: Causes, check: () throws -> Void
    ) rethrows -> SubscriptionHistory {
        let periods = listedPeriods
        let rowContext = RowContext(self, in: lineage, periods: periods, rules: rules.access)
        let boundaries = RevocationBoundaries(periods)
        var transitions: [Transition] = []
        var current: (followed: FollowedState, period: Period)?
        for instant in turningPoints(of: periods, until: t, rules: rules.access) {
            try check()
            guard let context = StatusContext(key, periods: periods, at: instant, rules: rules.access) else { continue }
            let followed = FollowedState(context)
            let revocations = current == nil ? [] : boundaries.changes(at: instant)
            let isTransition = current?.followed != followed || current?.period.name != context.period.name
            guard isTransition || !revocations.isEmpty else { continue }
            let change = Change(
                at: instant, from: transitions.last?.to, to: SubscriptionState(context, rowContext),
                context: context, previous: current?.period, revocations: revocations)
            transitions.append(Transition(change, statement: causes.statement(of: change)))
            current = (followed, context.period)
        }
        return SubscriptionHistory(
            key: key, transitions: transitions, disagreementCount: rowContext.disagreements.count)
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

    /// Returns the periods whose revocation begins or ends at `instant`, each with that revocation.
    func changes(at instant: Instant) -> [(period: Period, revocation: Revocation)] {
        (byInstant[instant] ?? []).compactMap { period in
            let before = period.revocation(at: instant.advanced(byMilliseconds: -1))
            let now = period.revocation(at: instant)
            guard (before == nil) != (now == nil) else { return nil }
            return (before ?? now).map { (period, $0) }
        }
    }
}
