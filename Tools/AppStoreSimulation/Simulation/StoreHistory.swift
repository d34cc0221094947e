package import Primitives

/// The artifacts, the changes and the truth of a simulated App Store.
package struct StoreHistory: Sendable {
    /// Sorted by signing date once merged.
    package internal(set) var artifacts: [StoreArtifact] = []
    /// Sorted by date once merged.
    package internal(set) var changes: [StoreChange] = []
    package internal(set) var truth: Truth
    /// Customer -> the ranges in which something true of their purchases is not yet signed, or is never delivered.
    private var unsettled: [Int: [Range<Instant>]] = [:]
    /// Customer -> the ranges in which an artifact of their purchases is signed and not yet delivered.
    private var undelivered: [Int: [Range<Instant>]] = [:]

    init(knownUntil: Instant) {
        truth = Truth(knownUntil: knownUntil)
    }

    /// The number of changes of every kind that stories contain, including zeros.
    package var counts: [ChangeKind: Int] {
        let kinds = ChangeKind.allCases.filter { !$0.isRequested }
        var counts = Dictionary(uniqueKeysWithValues: kinds.map { ($0, 0) })
        for change in changes { counts[change.kind, default: 0] += 1 }
        return counts
    }

    /// Whether everything true of a customer's purchases at `instant` has been signed, and is delivered eventually. The
    /// truth can then be derived from the artifacts. Nothing is settled after the end of the history.
    /// - Complexity: O(changes of the customer).
    package func isSettled(for customer: Int, at instant: Instant) -> Bool {
        instant <= truth.knownUntil && !(unsettled[customer]?.contains { $0.contains(instant) } ?? false)
    }

    /// Whether all artifacts of a customer's purchases signed by `instant` have been delivered, except lost ones.
    /// - Complexity: O(changes of the customer).
    package func isDelivered(for customer: Int, at instant: Instant) -> Bool {
        !(undelivered[customer]?.contains { $0.contains(instant) } ?? false)
    }
}

extension StoreHistory {
    /// Creates the combined history of independent stores.
    init(merging histories: [StoreHistory]) {
        truth = Truth(knownUntil: .latest)
        // Artifacts are signed some time after the change, so their order may differ.
        artifacts = histories.flatMap(\.artifacts).stablySorted(by: \.signedDate)
        changes = histories.flatMap(\.changes).stablySorted(by: \.date)
        for history in histories { truth.merge(history.truth) }
        for change in changes where change.date < change.settledDate {
            guard let customer = change.customer else { continue }
            unsettled[customer, default: []].append(change.date..<change.settledDate)
        }
        findUndelivered()
    }

    /// A lost artifact leaves its purchase unsettled until a delivered artifact states the whole purchase.
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
    /// The artifacts and changes, without customers and without truth.
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
