import EventLog
package import LedgerModel
package import Primitives

/// The coordinates of exports.
extension LedgerReader {
    /// Returns the root of the hash tree over the first events.
    /// - Precondition: `size` is not above the size of the log.
    package func root(ofFirst size: Position) throws -> Digest { try log.root(ofFirst: size) }

    /// Returns the time at which the last of the first events was recorded; the earliest instant for none.
    package func recordedAt(lastOf size: Position) throws -> Instant {
        guard size > 0, let record = try log.record(at: size - 1) else { return .earliest }
        return record.recordedAt
    }

    /// Returns the rules with a digest, if they were active at some size up to `size`.
    package func rules(withDigest digest: Digest, knownAt size: Position) throws -> Rules? {
        let history = try activeRules.history(knownAt: size)
        if history.initial.digest == digest { return history.initial }
        return history.activations.last { $0.digest == digest || $0.rules.digest == digest }?.rules
    }
}
