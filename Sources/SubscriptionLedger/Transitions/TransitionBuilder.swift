import AppStoreModel
import AppStoreTranslation
import EventLog
import LMDB
import LedgerAPI
import LedgerModel
import Primitives
import ProjectionRuntime
import SubscriptionStatus

/// Makes the rows of the feed from the log: those of an event in its place, and before it those that time has made since
/// the event before.
///
/// The rows depend on the events, their recorded times and the rules alone, however the work is divided.
struct TransitionBuilder: Sendable {
    let derived: Derived
    let store: TransitionStore
    let rules: Rules

    /// Processes events and time in their order: a row that time makes comes before the events recorded later, and after
    /// those recorded at its instant.
    ///
    /// - Parameters:
    ///   - size: the number of events that may be processed.
    ///   - time: the instant up to which time may make rows after the last of these events; nothing is recorded up to it
    ///     any more.
    ///   - limit: the number of events and instants after which it stops.
    func advance(
        _ progress: inout TransitionStore.Progress, below size: Position, through time: Instant, limit: Int,
        _ transaction: inout WriteTransaction
    ) throws {
        for _ in 0..<limit {
            let due = try store.firstDue(transaction)
            guard progress.position < size, let event = try derived.facts(at: progress.position) else {
                guard let due, due.at <= time else { break }
                try apply(due.follower, at: due.at, &progress, &transaction)
                continue
            }
            if let due, due.at < event.recordedAt {
                try apply(due.follower, at: due.at, &progress, &transaction)
                continue
            }
            if let facts = event.facts { try apply(facts, recordedAt: event.recordedAt, &progress, &transaction) }
            progress.position += 1
        }
    }

    /// Time makes a row.
    private func apply(
        _ follower: TransitionStore.Follower, at instant: Instant, _ progress: inout TransitionStore.Progress,
        _ transaction: inout WriteTransaction
    ) throws {
        let known = try KnownSubscriptions(around: [follower.key], in: derived, knownAt: progress.position, rules)
        let transitions = known.history(of: follower.key)
        var new = follower
        new.due = transitions.first { $0.at > instant }?.at
        if let transition = transitions.first(where: { $0.at == instant }) {
            let draft = TransitionDraft(follower.key, transition)
            try append(draft, known, recordedAt: instant, position: progress.position - 1, &progress, &transaction)
            new.held = FollowedState(transition.to).fingerprint
        }
        try store.replace(follower, with: new, &transaction)
    }

    /// An event makes rows, and changes those that time will make.
    ///
    /// Events that state owners make none yet: rows with the words linked, unlinked, merged, unmerged and transferred
    /// belong here, for each key whose `KnownSubscriptions.owners` differ before and after.
    private func apply(
        _ facts: EventFacts, recordedAt: Instant, _ progress: inout TransitionStore.Progress,
        _ transaction: inout WriteTransaction
    ) throws {
        let keys = facts.subscriptionKeys
        guard !keys.isEmpty else { return }
        let position = progress.position
        let known = try KnownSubscriptions(around: keys, in: derived, knownAt: position + 1, rules)
        let before = known.earlier(knownAt: position)
        var drafts: [TransitionDraft] = []
        for key in known.affectedKeys {
            let follower = try store.follower(of: key, transaction)
            let transitions = known.history(of: key)
            // One due at this very instant was not announced yet.
            let announced = before.history(of: key).filter {
                $0.at < recordedAt || ($0.at == recordedAt && follower.due != recordedAt)
            }
            let difference = HistoryDifference(
                from: announced, to: transitions.filter { $0.at <= recordedAt }, held: follower.held)
            drafts += difference.transitions.map { TransitionDraft(key, $0) }
            if difference.isWithdrawal { drafts.append(.withdrawal(of: key, at: recordedAt, facts.cause)) }
            var new = follower
            if let last = difference.transitions.last { new.held = FollowedState(last.to).fingerprint }
            if difference.isWithdrawal { new.held = nil }
            new.due = transitions.first { $0.at > recordedAt }?.at
            try store.replace(follower, with: new, &transaction)
        }
        for draft in drafts.sorted() {
            try append(
                draft, draft.isWithdrawal ? before : known, recordedAt: recordedAt, position: position, &progress,
                &transaction)
        }
    }

    private func append(
        _ draft: TransitionDraft, _ known: KnownSubscriptions, recordedAt: Instant, position: Position,
        _ progress: inout TransitionStore.Progress, _ transaction: inout WriteTransaction
    ) throws {
        let before = known.state(of: draft.key, at: draft.effectiveAt.advanced(byMilliseconds: -1))
        let after = draft.isWithdrawal ? nil : known.state(of: draft.key, at: draft.effectiveAt)
        let row = StoredTransition(
            environment: draft.key.environment.rawValue, recordedAt: recordedAt, effectiveAt: draft.effectiveAt,
            change: draft.change.map(\.rawValue), cause: draft.cause.name, position: position,
            owners: try known.owners(of: draft.key, at: draft.effectiveAt),
            before: JSONValue(before.map { SubscriptionRow($0) }), after: JSONValue(after.map { SubscriptionRow($0) }))
        try store.append(row, &progress, &transaction)
    }
}

/// A row to be made.
private struct TransitionDraft: Comparable {
    let key: SubscriptionKey
    let effectiveAt: Instant
    let change: [ChangeWord]
    let cause: Cause
    /// Whether the subscription has no state any more.
    let isWithdrawal: Bool

    init(_ key: SubscriptionKey, _ transition: Transition) {
        self.key = key
        effectiveAt = transition.at
        change = transition.change
        cause = transition.cause
        isWithdrawal = false
    }

    private init(withdrawing key: SubscriptionKey, at instant: Instant, _ cause: Cause) {
        self.key = key
        effectiveAt = instant
        change = [.accessChanged]
        self.cause = cause
        isWithdrawal = true
    }

    static func withdrawal(of key: SubscriptionKey, at instant: Instant, _ cause: Cause) -> TransitionDraft {
        TransitionDraft(withdrawing: key, at: instant, cause)
    }

    static func < (left: TransitionDraft, right: TransitionDraft) -> Bool {
        (left.effectiveAt, left.key) < (right.effectiveAt, right.key)
    }
}

extension EventFacts {
    fileprivate var subscriptionKeys: Set<SubscriptionKey> {
        Set(
            observations.compactMap { filed in
                if case .subscription(let key) = filed.key { key } else { nil }
            })
    }

    /// A notification by its type, else the kind of what was posted alone.
    fileprivate var cause: Cause {
        for filed in observations {
            if case .notification(let fact) = filed.observation.fact, let type = fact.notificationType {
                return .notification(type, fact.subtype)
            }
        }
        let hasTransaction = observations.contains { filed in
            if case .transaction = filed.observation.fact { true } else { false }
        }
        return hasTransaction ? .transaction : .renewalInfo
    }
}
