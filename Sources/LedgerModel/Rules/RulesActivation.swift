package import Primitives

/// An event that activates rules: they are in force in every answer that knows it, until the next activation.
package struct RulesActivation: Hashable, Sendable {
    package let rules: Rules
    /// The digest recorded with the event. That of `rules` can differ once a later version has added keys.
    package let digest: Digest
    /// The name of the person or of the API key that activated the rules.
    package let by: String
    package let recordedAt: Instant
    package let position: Position

    package init(rules: Rules, digest: Digest, by: String, recordedAt: Instant, position: Position) {
        self.rules = rules
        self.digest = digest
        self.by = by
        self.recordedAt = recordedAt
        self.position = position
    }
}
