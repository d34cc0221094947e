package import Primitives

/// What a simulated App Store signed, what happened in it, and what was so.
package struct StoreHistory: Sendable {
    /// In the order of their signatures.
    package internal(set) var artifacts: [StoreArtifact] = []
    /// In the order of their dates.
    package internal(set) var changes: [StoreChange] = []
    package internal(set) var truth: Truth
    /// Customer -> when something is true of their purchases that has not been signed, or not delivered ever.
    private var unsettled: [Int: [Range<Instant>]] = [:]
    /// Customer -> when something has been signed of their purchases and not yet delivered.
    private var undelivered: [Int: [Range<Instant>]] = [:]

    init(knownUntil: Instant) {
        truth = Truth(knownUntil: knownUntil)
    }

    /// Every kind with how often it happened, none left out.
    package var counts: [ChangeKind: Int] {
        var counts = Dictionary(uniqueKeysWithValues: ChangeKind.allCases.map { ($0, 0) })
        for change in changes { counts[change.kind, default: 0] += 1 }
        return counts
    }

    /// Whether at the instant everything that is true of a customer's purchases has been signed, and is delivered some
    /// day: the truth and what can be known are the same. After the end of the history nothing is settled.
    /// - Complexity: O(changes of the customer).
    package func isSettled(for customer: Int, at instant: Instant) -> Bool {
        instant <= truth.knownUntil && !(unsettled[customer]?.contains { $0.contains(instant) } ?? false)
    }

    /// Whether all that was signed of a customer's purchases by the instant and is ever delivered has been by then.
    /// - Complexity: O(changes of the customer).
    package func isDelivered(for customer: Int, at instant: Instant) -> Bool {
        !(undelivered[customer]?.contains { $0.contains(instant) } ?? false)
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
        for change in changes where change.date < change.settledDate {
            guard let customer = change.customer else { continue }
            unsettled[customer, default: []].append(change.date..<change.settledDate)
        }
        findUndelivered()
    }

    /// What was lost is unknown until something comes that tells all of the purchase.
    private mutating func findUndelivered() {
        var nextTelling: [String: Instant] = [:]
        for artifact in artifacts.reversed() {
            guard let customer = artifact.customer, let id = artifact.originalTransactionId else { continue }
            if let delivered = artifact.deliveredDate {
                if artifact.tellsAll { nextTelling[id] = artifact.signedDate }
                guard artifact.signedDate < delivered else { continue }
                undelivered[customer, default: []].append(artifact.signedDate..<delivered)
            } else {
                unsettled[customer, default: []].append(artifact.changeDate..<(nextTelling[id] ?? .latest))
            }
        }
    }
}

extension StoreHistory {
    /// What was signed and happened, as if it were of no customer.
    var withoutTruth: StoreHistory {
        var history = StoreHistory(knownUntil: truth.knownUntil)
        history.artifacts = artifacts.map(\.ofNobody)
        history.changes = changes.map(\.ofNobody)
        return history
    }
}

extension StoreArtifact {
    fileprivate var ofNobody: StoreArtifact {
        StoreArtifact(
            kind: kind, signedDate: signedDate, deliveredDate: deliveredDate, change: change, changeDate: changeDate,
            customer: nil, originalTransactionId: originalTransactionId, tellsAll: tellsAll, content: content)
    }
}

extension StoreChange {
    fileprivate var ofNobody: StoreChange {
        StoreChange(
            kind: kind, date: date, signedDate: signedDate, settledDate: settledDate, customer: nil,
            originalTransactionId: originalTransactionId)
    }
}

extension Array {
    fileprivate func stablySorted(by key: (Element) -> Instant) -> [Element] {
        enumerated().sorted { (key($0.element), $0.offset) < (key($1.element), $1.offset) }.map(\.element)
    }
}
