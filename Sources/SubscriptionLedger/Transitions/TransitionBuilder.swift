import EventLog
import FactStore
import LMDB
import LedgerModel
import Primitives
import SubscriptionStatus

/// Continues the feed with the events that follow. The rows of an event follow the rows that became due before it was
/// recorded.
///
/// The rows depend only on the events, their recorded times and the initial rules, not on the division of the work.
struct TransitionBuilder: Sendable {
    let facts: FactIndex
    let store: TransitionStore
    let rules: ActiveRules

    /// Processes events and due rows in order. A due row follows the events recorded at its instant and precedes those
    /// recorded later.
    ///
    /// - Parameters:
    ///   - size: the number of events that may be processed.
    ///   - time: the instant up to which due rows follow the last of these events. No further event is recorded at or
    ///     before it.
    ///   - limit: the maximum number of events and due rows to process, and of subscriptions that an activation of rules
    ///     concerns.
    func advance(
        _ progress: inout TransitionStore.Progress, below size: Position, through time: Instant, limit: Int,
        _ transaction: inout WriteTransaction
    ) throws {
        for _ in 0..<limit {
            let due = try store.firstDue(transaction)
            guard progress.position < size, let event = try facts.facts(at: progress.position) else {
                guard let due, due.at <= time else { break }
                try apply(due.subscription, at: due.at, &progress, &transaction)
                continue
            }
            if let due, due.at < event.recordedAt {
                try apply(due.subscription, at: due.at, &progress, &transaction)
                continue
            }
            if try rules.isActivation(progress.position) {
                if try reviewNext(recordedAt: event.recordedAt, &progress, &transaction) { continue }
            } else if let facts = event.facts {
                try apply(facts, recordedAt: event.recordedAt, &progress, &transaction)
            }
            progress.position += 1
        }
    }

    /// Appends the row due at an instant.
    private func apply(
        _ announced: AnnouncedSubscription, at instant: Instant, _ progress: inout TransitionStore.Progress,
        _ transaction: inout WriteTransaction
    ) throws {
        let size = progress.position
        let unit = try facts.unitFacts(around: [announced.key], knownAt: size)
        let known = KnownSubscriptions(unit, around: [announced.key], knownAt: size, try rules.rules(knownAt: size))
        var new = announced
        if let row = known.dueRow(&new, at: instant) {
            try store.append(StoredTransition(row, position: size - 1), &progress, &transaction)
        }
        try store.replace(announced, with: new, &transaction)
    }

    /// Appends the rows of an event about subscriptions or customers.
    private func apply(
        _ event: EventFacts, recordedAt: Instant, _ progress: inout TransitionStore.Progress,
        _ transaction: inout WriteTransaction
    ) throws {
        let position = progress.position
        let candidates = try event.customerFact.map { try facts.keys(concernedBy: $0) } ?? event.subscriptionKeys
        guard !candidates.isEmpty else { return }
        let unit = try facts.unitFacts(around: candidates, knownAt: position + 1)
        let trigger = TransitionTrigger(
            position: position, recordedAt: recordedAt, kind: event.customerFact.map { .customers($0) } ?? .observations
        )
        let rules = try rules.rules(knownAt: position)
        let known = KnownSubscriptions(unit, around: trigger.keys(in: unit), knownAt: position + 1, rules)
        try review(
            known.affectedKeys, known, since: known.earlier(knownAt: position, rules), trigger, &progress, &transaction)
    }

    /// Appends the rows of the next subscription that an activation of rules may change, ordered by hash.
    /// - Returns: false after the last subscription.
    private func reviewNext(
        recordedAt: Instant, _ progress: inout TransitionStore.Progress, _ transaction: inout WriteTransaction
    ) throws -> Bool {
        let next = try store.announcedSubscription(after: progress.reviewed, transaction)
        progress.reviewed = next?.number
        guard let next else { return false }
        let position = progress.position
        let unit = try facts.unitFacts(around: [next.key], knownAt: position + 1)
        let known = KnownSubscriptions(
            unit, around: [next.key], knownAt: position + 1, try rules.rules(knownAt: position + 1))
        let before = known.earlier(knownAt: position, try rules.rules(knownAt: position))
        let trigger = TransitionTrigger(position: position, recordedAt: recordedAt, kind: .activation)
        try review([next.key], known, since: before, trigger, &progress, &transaction)
        return true
    }

    /// Appends the rows of an event for these subscriptions, and updates the rows that are due later.
    private func review(
        _ keys: [SubscriptionKey], _ known: KnownSubscriptions, since before: KnownSubscriptions,
        _ trigger: TransitionTrigger, _ progress: inout TransitionStore.Progress,
        _ transaction: inout WriteTransaction
    ) throws {
        var rows: [TransitionDraft] = []
        for key in keys {
            let announced = try store.announcedSubscription(of: key, transaction)
            var new = announced
            rows += known.rows(&new, since: before, trigger)
            progress.disagreements += UInt64(new.disagreements)
            progress.disagreements -= UInt64(announced.disagreements)
            try store.replace(announced, with: new, &transaction)
        }
        for row in rows.sorted(by: { $0.precedes($1) }) {
            try store.append(StoredTransition(row, position: trigger.position), &progress, &transaction)
        }
    }
}

extension EventFacts {
    fileprivate var subscriptionKeys: Set<SubscriptionKey> {
        Set(
            observations.compactMap { keyed in
                if case .subscription(let key) = keyed.key { key } else { nil }
            })
    }
}
