package import Primitives

/// What a simulated App Store signed, what happened in it, and what was so.
package struct StoreHistory: Sendable {
    /// In the order of their signatures.
    package internal(set) var artifacts: [StoreArtifact] = []
    /// In the order of their dates.
    package internal(set) var changes: [StoreChange] = []
    package internal(set) var truth: Truth

    init(knownUntil: Instant) {
        truth = Truth(knownUntil: knownUntil)
    }

    /// Every kind with how often it happened, none left out.
    package var counts: [ChangeKind: Int] {
        var counts = Dictionary(uniqueKeysWithValues: ChangeKind.allCases.map { ($0, 0) })
        for change in changes { counts[change.kind, default: 0] += 1 }
        return counts
    }

    /// Whether at the instant everything that is true has been signed: the truth and what can be known are the same.
    /// After the end of the history nothing is.
    /// - Complexity: O(changes).
    package func isSettled(at instant: Instant) -> Bool {
        instant <= truth.knownUntil && !changes.contains { $0.date <= instant && instant < $0.signedDate }
    }
}

extension StoreHistory {
    /// The histories of stores that have nothing to do with each other.
    init(merging histories: [StoreHistory]) {
        truth = Truth(knownUntil: .latest)
        // Signatures are made some time after the change, so that their order may be another.
        artifacts = histories.flatMap(\.artifacts).stablySorted(by: \.signedDate)
        changes = histories.flatMap(\.changes).stablySorted(by: \.date)
        for history in histories { truth.merge(history.truth) }
    }
}

extension Array {
    fileprivate func stablySorted(by key: (Element) -> Instant) -> [Element] {
        enumerated().sorted { (key($0.element), $0.offset) < (key($1.element), $1.offset) }.map(\.element)
    }
}
