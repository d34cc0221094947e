import EventLog
import Synchronization

/// What is in the log but not yet in `derived/`, in memory: a question is answered from both.
final class Tail: Sendable {
    /// Above this the ledger takes no more: deriving has fallen too far behind.
    static let limit = 262_144

    private static let changeSlots = 65_536

    private struct State {
        var events: [DerivedEvent] = []
        var postings: [IndexTerm: [UInt64]] = [:]
        /// One above the last event, or where the next is expected.
        var end: UInt64
        /// One above the last position that came under a term, by a part of its hash: of terms that share it, of any.
        var changes = [UInt64](repeating: 0, count: Tail.changeSlots)
    }

    private let state: Mutex<State>

    init(from position: UInt64) {
        state = Mutex(State(end: position))
    }

    var count: Int { state.withLock { $0.events.count } }
    var end: UInt64 { state.withLock { $0.end } }

    /// Adds the events that follow; those that are there already are ignored.
    /// - Returns: false when there is a gap, which the log can fill.
    func append(_ events: [DerivedEvent]) -> Bool {
        state.withLock { state in
            for event in events where event.position >= state.end {
                guard event.position == state.end else { return false }
                for term in event.indexTerms {
                    state.postings[term, default: []].append(event.position)
                    state.changes[Self.changeSlot(of: term)] = event.position + 1
                }
                state.events.append(event)
                state.end += 1
            }
            return true
        }
    }

    /// Whether no event from `size` on has come under any of these terms since this was opened. It may say no without
    /// need.
    func isUnchanged(_ terms: [IndexTerm], since size: UInt64) -> Bool {
        state.withLock { state in terms.allSatisfy { state.changes[Self.changeSlot(of: $0)] <= size } }
    }

    private static func changeSlot(of term: IndexTerm) -> Int {
        Int(truncatingIfNeeded: term.hash & UInt128(changeSlots - 1))
    }

    func events(under term: IndexTerm) -> [StoredFacts] {
        state.withLock { state in
            guard let first = state.events.first?.position else { return [] }
            return (state.postings[term] ?? []).map { StoredFacts(state.events[Int($0 - first)]) }
        }
    }

    func event(at position: UInt64) -> StoredFacts? {
        state.withLock { state in
            guard let first = state.events.first?.position, position >= first, position < state.end else { return nil }
            return StoredFacts(state.events[Int(position - first)])
        }
    }

    var identities: [(Identity, UInt64)] {
        state.withLock { state in
            state.events.flatMap { event in
                [event.identity, event.repeatIdentity].compactMap { $0.map { ($0, event.position) } }
            }
        }
    }

    func prefix(_ count: Int) -> [DerivedEvent] {
        state.withLock { Array($0.events.prefix(count)) }
    }

    /// Forgets events that the store answers for by now.
    func removeFirst(_ count: Int) {
        state.withLock { state in
            guard let last = state.events.prefix(count).last?.position else { return }
            for term in Set(state.events.prefix(count).flatMap(\.indexTerms)) {
                let rest = (state.postings[term] ?? []).drop { $0 <= last }
                state.postings[term] = rest.isEmpty ? nil : Array(rest)
            }
            state.events.removeFirst(min(count, state.events.count))
        }
    }
}
