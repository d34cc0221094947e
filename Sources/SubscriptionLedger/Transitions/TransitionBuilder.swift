import AppStoreModel
import EventLog
import FactStore
import LMDB
import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionStatus

/// Builds the feed from the log. The rows of an event follow the rows that became due before it was recorded.
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
        let key = announced.key
        let size = progress.position
        let known = try KnownSubscriptions(around: [key], in: facts, knownAt: size, rules.rules(knownAt: size))
        let owners = try known.owners(of: key, at: instant)
        var new = announced
        new.due = known.nextRow(of: key, after: instant)
        var draft: TransitionDraft?
        if let transition = known.history(of: key).first(where: { $0.at == instant }) {
            draft = TransitionDraft(key, transition, owners)
        } else if announced.held != nil, owners != announced.owners {
            draft = TransitionDraft(key, at: instant, cause: Cause.time.name, owners)
        }
        if var draft {
            new.take(&draft, decision: nil)
            try append(draft, known, recordedAt: instant, position: progress.position - 1, &progress, &transaction)
        }
        try store.replace(announced, with: new, &transaction)
    }

    /// Appends the rows of an event about subscriptions or customers.
    private func apply(
        _ event: EventFacts, recordedAt: Instant, _ progress: inout TransitionStore.Progress,
        _ transaction: inout WriteTransaction
    ) throws {
        let position = progress.position
        let renamed = try renamedHandles(event.customerFact, at: position)
        let keys = event.subscriptionKeys.union(try decidedKeys(event.customerFact, renamed, at: position))
        guard !keys.isEmpty else { return }
        let rules = try rules.rules(knownAt: position)
        let known = try KnownSubscriptions(around: keys, in: facts, knownAt: position + 1, rules)
        let trigger = Trigger(
            recordedAt: recordedAt, cause: event.cause, customerFact: event.customerFact, renamed: renamed,
            movesOwnersAtOnce: event.customerFact != nil)
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
        let known = try KnownSubscriptions(
            around: [next.key], in: facts, knownAt: position + 1, rules.rules(knownAt: position + 1))
        let before = known.earlier(knownAt: position, try rules.rules(knownAt: position))
        let trigger = Trigger(
            recordedAt: recordedAt, cause: EventKind.rulesActivated.name, customerFact: nil, renamed: [],
            movesOwnersAtOnce: true)
        try review([next.key], known, since: before, trigger, &progress, &transaction)
        return true
    }

    /// Appends the rows of an event for these subscriptions, and updates the rows that are due later.
    private func review(
        _ keys: [SubscriptionKey], _ known: KnownSubscriptions, since before: KnownSubscriptions, _ trigger: Trigger,
        _ progress: inout TransitionStore.Progress, _ transaction: inout WriteTransaction
    ) throws {
        let recordedAt = trigger.recordedAt
        var drafts: [TransitionDraft] = []
        for key in keys {
            let announced = try store.announcedSubscription(of: key, transaction)
            var new = announced
            // A row due at exactly this instant has not been appended yet.
            let announcedTransitions = before.history(of: key).filter {
                $0.at < recordedAt || ($0.at == recordedAt && announced.due != recordedAt)
            }
            for var draft in try self.drafts(for: announced, announcedTransitions, known, trigger) {
                new.take(&draft, decision: trigger.customerFact)
                drafts.append(draft)
            }
            new.due = known.nextRow(of: key, after: recordedAt)
            new.disagreements = UInt32(clamping: known.disagreementCount(of: key))
            progress.disagreements += UInt64(new.disagreements)
            progress.disagreements -= UInt64(announced.disagreements)
            try store.replace(announced, with: new, &transaction)
        }
        for draft in drafts.sorted() {
            try append(
                draft, draft.isWithdrawal ? before : known, recordedAt: recordedAt, position: progress.position,
                &progress, &transaction)
        }
    }

    /// Returns the keys for which an event about customers may change the owner or the owner's ids.
    private func decidedKeys(
        _ fact: CustomerFact?, _ renamed: Set<CustomerHandle>, at position: Position
    ) throws -> Set<SubscriptionKey> {
        switch fact {
        case .claim(let claim): return [claim.key]
        case .transfer(let transfer): return [transfer.key]
        case .token(let mapping):
            return try keys(carrying: [mapping.token], at: position).union(keys(ofAny: renamed, at: position))
        case .directory: return try keys(ofAny: renamed, at: position)
        case .refusedClaim, nil: return []
        }
    }

    /// Returns every handle of the customers whose ids an event changes, as of just before the event.
    private func renamedHandles(_ fact: CustomerFact?, at position: Position) throws -> Set<CustomerHandle> {
        var lookup = CustomerLookup(in: facts, size: position)
        let changed: [CustomerHandle] =
            switch fact {
            case .directory(let change): [change.customer, change.into]
            case .token(let mapping): [mapping.customer]
            case .claim, .refusedClaim, .transfer, nil: []
            }
        return try changed.reduce(into: []) { handles, handle in
            let customer = try lookup.customer(of: handle)
            handles.formUnion([handle, customer] + lookup.directory.handles(mergedInto: customer))
        }
    }

    /// Returns the keys that the handles claimed, and the keys with their tokens.
    private func keys(ofAny handles: Set<CustomerHandle>, at position: Position) throws -> Set<SubscriptionKey> {
        try handles.reduce(into: []) { keys, handle in
            keys.formUnion(try facts.keys(claimedBy: handle, knownAt: position))
            let tokens = try facts.tokens(mappedTo: handle, knownAt: position)
            keys.formUnion(try self.keys(carrying: tokens, at: position))
        }
    }

    private func keys(carrying tokens: Set<AppAccountToken>, at position: Position) throws -> Set<SubscriptionKey> {
        var related = RelatedTimelines(in: facts, knownAt: position)
        for token in tokens { try related.add(token) }
        return Set(related.keys.filter { !related.appAccountTokens(of: $0).isDisjoint(with: tokens) })
    }

    /// Returns the rows that bring the consumers of the feed up to date for one key, in chronological order.
    private func drafts(
        for announced: AnnouncedSubscription, _ announcedTransitions: [Transition], _ known: KnownSubscriptions,
        _ trigger: Trigger
    ) throws -> [TransitionDraft] {
        let (key, recordedAt) = (announced.key, trigger.recordedAt)
        let current = known.history(of: key).filter { $0.at <= recordedAt }
        let difference = HistoryDifference(from: announcedTransitions, to: current, held: announced.held)
        if difference.isWithdrawal { return [.withdrawal(of: key, at: recordedAt, trigger.cause)] }
        var drafts = try difference.transitions.map {
            TransitionDraft(key, $0, try known.owners(of: key, at: $0.at))
        }
        guard let last = current.last else { return drafts }
        let owners = try known.owners(of: key, at: recordedAt)
        let isRenamed = !owners.isDisjoint(with: trigger.renamed.map(Ownership.Owner.customer))
        guard isRenamed || owners != drafts.last?.owners ?? announced.owners else { return drafts }
        // A decision takes effect at its recorded time, a token at the instant of its step. The row has the current
        // state.
        let token = trigger.movesOwnersAtOnce ? nil : known.tokenInstants(of: key).last { $0 <= recordedAt }
        let instant = token.map { max($0, last.at) } ?? recordedAt
        drafts.append(TransitionDraft(key, at: instant, cause: trigger.cause, owners))
        return drafts
    }

    private func append(
        _ draft: TransitionDraft, _ known: KnownSubscriptions, recordedAt: Instant, position: Position,
        _ progress: inout TransitionStore.Progress, _ transaction: inout WriteTransaction
    ) throws {
        let before = known.state(of: draft.key, at: draft.effectiveAt.advanced(byMilliseconds: -1))
        let after = draft.isWithdrawal ? nil : known.state(of: draft.key, at: draft.effectiveAt)
        let row = StoredTransition(
            environment: draft.key.environment.rawValue, recordedAt: recordedAt, effectiveAt: draft.effectiveAt,
            change: draft.change.map(\.rawValue), cause: draft.cause, position: position,
            owners: draft.owners.sorted(), before: JSONValue(before.map { SubscriptionRow($0) }),
            after: JSONValue(after.map { SubscriptionRow($0) }))
        try store.append(row, &progress, &transaction)
    }
}

extension KnownSubscriptions {
    /// Returns the instant of the next row that needs no event; nil when none is due.
    fileprivate func nextRow(of key: SubscriptionKey, after instant: Instant) -> Instant? {
        let transition = history(of: key).first { $0.at > instant }?.at
        let token = tokenInstants(of: key).first { $0 > instant }
        return [transition, token].compactMap(\.self).min()
    }
}

/// An event that may change the rows of subscriptions.
private struct Trigger {
    let recordedAt: Instant
    /// The cause of rows that change only the owners.
    let cause: String
    let customerFact: CustomerFact?
    /// The handles of the customers whose ids the event changes.
    let renamed: Set<CustomerHandle>
    /// Whether owners change at `recordedAt`. Otherwise they change at the instants of tokens.
    let movesOwnersAtOnce: Bool
}

/// A row that is not yet stored.
private struct TransitionDraft: Comparable {
    let key: SubscriptionKey
    let effectiveAt: Instant
    var change: [ChangeWord]
    let cause: String
    let owners: Set<Ownership.Owner>
    /// The fingerprint of the state after the row; nil when the row does not change the state.
    let held: UInt128?
    /// Whether the subscription no longer has a state.
    let isWithdrawal: Bool

    init(_ key: SubscriptionKey, _ transition: Transition, _ owners: Set<Ownership.Owner>) {
        self.init(
            key, transition.at, transition.change, transition.cause.name, owners,
            held: FollowedState(transition.to).fingerprint)
    }

    /// Creates a row for a change of the owners alone.
    init(_ key: SubscriptionKey, at instant: Instant, cause: String, _ owners: Set<Ownership.Owner>) {
        self.init(key, instant, [], cause, owners)
    }

    static func withdrawal(of key: SubscriptionKey, at instant: Instant, _ cause: String) -> TransitionDraft {
        TransitionDraft(key, instant, [.accessChanged], cause, [], isWithdrawal: true)
    }

    private init(
        _ key: SubscriptionKey, _ instant: Instant, _ change: [ChangeWord], _ cause: String,
        _ owners: Set<Ownership.Owner>, held: UInt128? = nil, isWithdrawal: Bool = false
    ) {
        self.key = key
        effectiveAt = instant
        self.change = change
        self.cause = cause
        self.owners = owners
        self.held = held
        self.isWithdrawal = isWithdrawal
    }

    static func < (left: TransitionDraft, right: TransitionDraft) -> Bool {
        (left.effectiveAt, left.key) < (right.effectiveAt, right.key)
    }
}

extension AnnouncedSubscription {
    /// Adopts the state and owners of a row. Adds the change of owners to the row, except to the first one.
    fileprivate mutating func take(_ draft: inout TransitionDraft, decision: CustomerFact?) {
        if held != nil, !draft.isWithdrawal {
            draft.change += OwnerChange(from: owners, to: draft.owners, decision: decision).words
        }
        held = draft.isWithdrawal ? nil : draft.held ?? held
        owners = draft.owners
    }
}

extension EventFacts {
    fileprivate var subscriptionKeys: Set<SubscriptionKey> {
        Set(
            observations.compactMap { keyed in
                if case .subscription(let key) = keyed.key { key } else { nil }
            })
    }

    /// The kind of an event about customers, the type of a notification, or the kind of a single artifact.
    fileprivate var cause: String {
        if let customerFact { return customerFact.cause }
        for keyed in observations {
            if case .notification(let fact) = keyed.observation.fact, let type = fact.notificationType {
                return Cause.notification(type, fact.subtype).name
            }
        }
        let hasTransaction = observations.contains { keyed in
            if case .transaction = keyed.observation.fact { true } else { false }
        }
        return (hasTransaction ? Cause.transaction : .renewalInfo).name
    }
}
