import LedgerModel
import Primitives
import SubscriptionStatus

extension KnownSubscriptions {
    /// Returns the rows that bring the consumers of the feed up to date about one key after an event, in chronological
    /// order, and updates what they know.
    /// - Parameter before: the subscriptions as known before the event.
    func rows(
        _ announced: inout AnnouncedSubscription, since before: KnownSubscriptions, _ trigger: TransitionTrigger
    ) -> [TransitionDraft] {
        let (key, recordedAt) = (announced.key, trigger.recordedAt)
        // A row due at exactly this instant has not been appended yet.
        let announcedTransitions = before.history(of: key).filter { [due = announced.due] in
            $0.at < recordedAt || ($0.at == recordedAt && due != recordedAt)
        }
        var rows: [TransitionDraft] = []
        for var row in drafts(for: announced, announcedTransitions, since: before, trigger) {
            row.ordinal = UInt32(rows.count)
            announced.take(&row, decision: trigger.customerFact)
            rows.append(row)
        }
        announced.due = nextRow(of: key, after: recordedAt)
        announced.disagreements = UInt32(clamping: disagreementCount(of: key))
        return rows
    }

    /// Returns the row that is due at an instant without an event, if any, and updates what consumers know.
    func dueRow(_ announced: inout AnnouncedSubscription, at instant: Instant) -> TransitionDraft? {
        let key = announced.key
        let owners = self.owners(of: key, at: instant)
        announced.due = nextRow(of: key, after: instant)
        var row: TransitionDraft
        if let transition = history(of: key).first(where: { $0.at == instant }) {
            row = draft(key, transition, owners, recordedAt: instant, position: nil)
        } else if announced.held != nil, owners != announced.owners {
            row = draft(key, at: instant, cause: Cause.time.name, owners, recordedAt: instant, position: nil)
        } else {
            return nil
        }
        announced.take(&row, decision: nil)
        return row
    }

    private func drafts(
        for announced: AnnouncedSubscription, _ announcedTransitions: [Transition], since before: KnownSubscriptions,
        _ trigger: TransitionTrigger
    ) -> [TransitionDraft] {
        let (key, recordedAt, position) = (announced.key, trigger.recordedAt, trigger.position)
        let current = history(of: key).filter { $0.at <= recordedAt }
        let difference = HistoryDifference(from: announcedTransitions, to: current, held: announced.held)
        if difference.isWithdrawal { return [withdrawal(of: key, since: before, trigger)] }
        var drafts = difference.transitions.map {
            draft(key, $0, self.owners(of: key, at: $0.at), recordedAt: recordedAt, position: position)
        }
        guard let last = current.last else { return drafts }
        let owners = self.owners(of: key, at: recordedAt)
        guard isRenamed(owners, by: trigger) || owners != drafts.last?.owners ?? announced.owners else { return drafts }
        // A decision takes effect at its recorded time, a token at the instant of its step. The row has the current
        // state.
        let token = trigger.movesOwnersAtOnce ? nil : tokenInstants(of: key).last { $0 <= recordedAt }
        let instant = token.map { max($0, last.at) } ?? recordedAt
        drafts.append(
            draft(
                key, at: instant, cause: trigger.cause(of: key, self), owners, recordedAt: recordedAt,
                position: position))
        return drafts
    }

    /// Whether an event changes the ids of one of the owners.
    private func isRenamed(_ owners: Set<Ownership.Owner>, by trigger: TransitionTrigger) -> Bool {
        guard let fact = trigger.customerFact else { return false }
        return !owners.isDisjoint(with: unit.customers.renamedHandles(by: fact).map(Ownership.Owner.customer))
    }

    private func draft(
        _ key: SubscriptionKey, _ transition: Transition, _ owners: Set<Ownership.Owner>, recordedAt: Instant,
        position: Position?
    ) -> TransitionDraft {
        draft(
            key, at: transition.at, transition.change, cause: transition.cause.name, owners, recordedAt: recordedAt,
            position: position, held: FollowedState(transition.to).fingerprint)
    }

    /// Returns a row that changes the owners alone, unless changes are given.
    private func draft(
        _ key: SubscriptionKey, at instant: Instant, _ change: [ChangeWord] = [], cause: String,
        _ owners: Set<Ownership.Owner>, recordedAt: Instant, position: Position?, held: UInt128? = nil
    ) -> TransitionDraft {
        TransitionDraft(
            key: key, recordedAt: recordedAt, effectiveAt: instant, change: change, cause: cause, position: position,
            owners: owners, before: state(of: key, at: instant.advanced(byMilliseconds: -1)),
            after: state(of: key, at: instant), held: held)
    }

    /// Returns the row of a subscription that no longer has a state.
    private func withdrawal(
        of key: SubscriptionKey, since before: KnownSubscriptions, _ trigger: TransitionTrigger
    ) -> TransitionDraft {
        let recordedAt = trigger.recordedAt
        return TransitionDraft(
            key: key, recordedAt: recordedAt, effectiveAt: recordedAt, change: [.accessChanged],
            cause: trigger.cause(of: key, self), position: trigger.position, owners: [],
            before: before.state(of: key, at: recordedAt.advanced(byMilliseconds: -1)), after: nil, held: nil)
    }
}

extension AnnouncedSubscription {
    /// Adopts the state and owners of a row. Adds the change of owners to the row, except to the first one.
    fileprivate mutating func take(_ row: inout TransitionDraft, decision: CustomerFact?) {
        if held != nil, !row.isWithdrawal {
            row.change += OwnerChange(from: owners, to: row.owners, decision: decision).words
        }
        held = row.isWithdrawal ? nil : row.held ?? held
        owners = row.owners
    }
}
