import Primitives

/// The transitions that bring a follower of the feed from an announced history to the current one.
package struct HistoryDifference: Hashable, Sendable {
    /// The transitions, ordered by time. The last one leaves the follower with the current state.
    package let transitions: [Transition]
    /// Whether the follower holds a state of a key that no longer has one.
    package let isWithdrawal: Bool

    /// - Parameters:
    ///   - announced: the transitions sent to the follower, as they were known before.
    ///   - current: every transition up to now, as currently known.
    ///   - held: the fingerprint of the state that the follower holds; nil if it holds none.
    package init(from announced: [Transition], to current: [Transition], held: UInt128?) {
        let known = Set(announced.map(Announcement.init))
        var new = current.filter { !known.contains(Announcement($0)) }
        let left = new.last.map { FollowedState($0.to).fingerprint } ?? held
        // After a retraction, or after a change of the past only, the current row is sent again.
        if let last = current.last, FollowedState(last.to).fingerprint != left { new.append(last) }
        transitions = new
        isWithdrawal = current.isEmpty && held != nil
    }

    /// The part of a transition that identifies its row to a follower.
    private struct Announcement: Hashable {
        let at: Instant
        let change: [ChangeWord]
        let state: FollowedState

        init(_ transition: Transition) {
            at = transition.at
            change = transition.change
            state = FollowedState(transition.to)
        }
    }
}
