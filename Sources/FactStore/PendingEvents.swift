import Synchronization

/// The events that are in the log and not yet stored in `derived/`.
final class PendingEvents: Sendable {
    /// The number of pending events at which the ledger refuses more.
    static let limit = 262_144

    private static let changeSlots = 65_536

    private struct State {
        var events: [IndexedEvent] = []
        var postings: [IndexTerm: [UInt64]] = [:]
        /// The next expected position.
        var end: UInt64
        /// One above the last position of a term, in a slot selected by a part of its hash. Terms may share a slot.
        var changes = [UInt64](repeating: 0, count: PendingEvents.changeSlots)
    }

    private let state: Mutex<State>

    init(from position: UInt64) {
        state = Mutex(State(end: position))
    }

    var count: Int { state.withLock { $0.events.count } }
    var end: UInt64 { state.withLock { $0.end } }

    /// Appends the events that follow. Events that were already added are ignored.
    /// - Returns: false when there is a gap, which the caller can fill from the log.
    func append(_ events: [IndexedEvent]) -> Bool {
        state.withLock { state in
            for event in events where event.position >= state.end {
                guard event.position == state.end else { return false }
                for term in event.facts.terms {
                    state.postings[term, default: []].append(event.position)
                    state.changes[Self.changeSlot(of: term)] = event.position + 1
                }
                state.events.append(event)
                state.end += 1
            }
            return true
        }
    }

    /// Whether no event from `size` on has any of these terms. It may be false although none has.
    func isUnchanged(_ terms: [IndexTerm], since size: UInt64) -> Bool {
        state.withLock { state in terms.allSatisfy { state.changes[Self.changeSlot(of: $0)] <= size } }
    }

    private static func changeSlot(of term: IndexTerm) -> Int {
        Int(truncatingIfNeeded: term.hash & UInt128(changeSlots - 1))
    }

    func events(under term: IndexTerm) -> [IndexedEvent] {
        state.withLock { state in
            guard let first = state.events.first?.position else { return [] }
            return (state.postings[term] ?? []).map { state.events[Int($0 - first)] }
        }
    }

    func event(at position: UInt64) -> IndexedEvent? {
        state.withLock { state in
            guard let first = state.events.first?.position, position >= first, position < state.end else { return nil }
            return state.events[Int(position - first)]
        }
    }

    func prefix(_ count: Int) -> [IndexedEvent] {
        state.withLock { Array($0.events.prefix(count)) }
    }

    /// Removes the first events, which are stored.
    func removeFirst(_ count: Int) {
        state.withLock { state in
            guard let last = state.events.prefix(count).last?.position else { return }
            for term in Set(state.events.prefix(count).flatMap(\.facts.terms)) {
                let rest = (state.postings[term] ?? []).drop { $0 <= last }
                state.postings[term] = rest.isEmpty ? nil : Array(rest)
            }
            state.events.removeFirst(min(count, state.events.count))
        }
    }
}
