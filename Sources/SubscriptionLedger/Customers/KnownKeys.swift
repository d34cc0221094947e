import FactStore
import LedgerModel

/// The facts about keys and about those related to them, read once: a receipt may have thousands of keys, and each is
/// related to all.
struct KnownKeys {
    private let related: RelatedTimelines
    let timelines: [SubscriptionKey: Timeline]

    init(_ keys: some Sequence<SubscriptionKey>, in facts: FactIndex, knownAt size: Position) throws {
        var related = RelatedTimelines(in: facts, knownAt: size)
        try related.add(keys)
        (self.related, timelines) = (related, related.timelines)
    }

    /// Returns the evidence that decides the owner of a key.
    /// - Parameter unstored: observations of the key that are not in the log yet.
    func evidence(of key: SubscriptionKey, with unstored: [Observation] = []) -> OwnershipEvidence {
        let stored = timelines[key] ?? Timeline()
        let timeline = unstored.isEmpty ? stored : Timeline(unstored).union(stored)
        return related.ownershipEvidence(of: key, timeline)
    }
}
