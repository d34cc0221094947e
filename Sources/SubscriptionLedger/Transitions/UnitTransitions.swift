import LedgerModel
import Primitives

/// The rows of the feed about one unit, with what the consumers of the feed know after them.
///
/// Replays the unit event by event, as the feed follows the log. A row depends on the unit alone, so units can be
/// replayed in any order and sorted afterwards.
struct UnitTransitions {
    private let unit: UnitFacts
    private let rules: RulesHistory
    private(set) var rows: [TransitionDraft] = []
    /// The keys with rows, with rows that are due, or with disagreements.
    private(set) var announced: [SubscriptionKey: AnnouncedSubscription] = [:]
    /// The number of events replayed.
    private var size: Position = 0
    /// Some subscriptions as known after the events replayed.
    private var known: KnownSubscriptions?

    /// - Parameters:
    ///   - end: rows that are due without an event from this instant on are left out.
    ///   - check: called at each event; ends the work by throwing.
    /// - Complexity: O(n²) folds of the unit's keys for n events, and O(n³) for the history of one key with n periods.
    init(of unit: UnitFacts, rules: RulesHistory, before end: Instant, check: () throws -> Void) rethrows {
        self.unit = unit
        self.rules = rules
        for trigger in Self.triggers(unit, rules) {
            try check()
            appendDueRows(before: trigger.recordedAt)
            apply(trigger)
        }
        appendDueRows(before: end)
    }

    /// The events that may change the unit, ordered by position.
    private static func triggers(_ unit: UnitFacts, _ rules: RulesHistory) -> [TransitionTrigger] {
        var triggers: [TransitionTrigger] = []
        for (position, recordedAt) in unit.timelines.values.reduce(into: [:], { $1.collectEvents(in: &$0) }) {
            triggers.append(TransitionTrigger(position: position, recordedAt: recordedAt, kind: .observations))
        }
        for event in unit.customers.events {
            triggers.append(
                TransitionTrigger(
                    position: event.fact.position, recordedAt: event.recordedAt, kind: .customers(event.fact)))
        }
        for activation in rules.activations {
            triggers.append(
                TransitionTrigger(
                    position: activation.position, recordedAt: activation.recordedAt, kind: .activation))
        }
        return triggers.sorted { $0.position < $1.position }
    }

    private mutating func apply(_ trigger: TransitionTrigger) {
        size = trigger.position
        defer { size += 1 }
        if case .activation = trigger.kind { return review(trigger) }
        let keys = trigger.keys(in: unit)
        guard !keys.isEmpty else { return }
        let after = KnownSubscriptions(unit, around: keys, knownAt: size + 1, rules.rules(knownAt: size))
        let before = known(around: after.affectedKeys)
        for key in after.affectedKeys {
            var announced = announced(key)
            rows += after.rows(&announced, since: before, trigger)
            remember(announced)
        }
        known = after
    }

    /// Appends the rows of an activation of rules, one subscription after the other.
    private mutating func review(_ trigger: TransitionTrigger) {
        for key in announced.keys {
            let after = KnownSubscriptions(unit, around: [key], knownAt: size + 1, rules.rules(knownAt: size + 1))
            let before = after.earlier(knownAt: size, rules.rules(knownAt: size))
            var announced = announced(key)
            for var row in after.rows(&announced, since: before, trigger) {
                row.review = announced.number
                rows.append(row)
            }
            remember(announced)
        }
        known = nil
    }

    /// Appends the rows that are due without an event before an instant.
    private mutating func appendDueRows(before end: Instant) {
        for key in announced.keys {
            var announced = announced(key)
            while let due = announced.due, due < end {
                if let row = known(around: [key]).dueRow(&announced, at: due) { rows.append(row) }
            }
            remember(announced)
        }
    }

    /// Returns the subscriptions of the lineages that contain keys, as known after the events replayed.
    private mutating func known(around keys: [SubscriptionKey]) -> KnownSubscriptions {
        if let known, keys.allSatisfy(known.affectedKeys.contains) { return known }
        let found = KnownSubscriptions(unit, around: Set(keys), knownAt: size, rules.rules(knownAt: size))
        known = found
        return found
    }

    private func announced(_ key: SubscriptionKey) -> AnnouncedSubscription {
        announced[key] ?? AnnouncedSubscription(key: key)
    }

    /// Stores what consumers know of a key, if it changed.
    private mutating func remember(_ new: AnnouncedSubscription) {
        if new != announced(new.key) { announced[new.key] = new }
    }
}

extension Timeline {
    /// Adds the events that added facts, with the times they were recorded.
    fileprivate func collectEvents(in events: inout [Position: Instant]) {
        for source in transactions.lazy.map(\.source) { events[source.position] = source.recordedAt }
        for source in renewals.lazy.map(\.source) { events[source.position] = source.recordedAt }
        for source in notifications.lazy.map(\.source) { events[source.position] = source.recordedAt }
    }
}
