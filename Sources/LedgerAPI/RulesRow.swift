package import Primitives

/// The answer of `project status` and `project activate`.
package struct RulesAnswer: Hashable, Sendable {
    /// Whether the command activated the rules; nil for `status`.
    package var activated: Bool?
    package var knownAt: UInt64
    package var rules: RulesRow
    /// The stored projections; nil for `activate`.
    package var projections: [ProjectionRow]?

    package init(activated: Bool?, knownAt: UInt64, rules: RulesRow, projections: [ProjectionRow]? = nil) {
        self.activated = activated
        self.knownAt = knownAt
        self.rules = rules
        self.projections = projections
    }
}

extension RulesAnswer: LedgerAnswer {
    package var json: JSONValue {
        .object(
            (activated.map { [.init("activated", .bool($0))] } ?? []) + [
                .init("knownAt", JSONValue(position: knownAt)), .init("rules", rules.json),
            ] + (projections.map { [.init("projections", $0.json)] } ?? []))
    }
}

/// The rules that answers use, and the event that activated them.
package struct RulesRow: Hashable, Sendable {
    package var name: String
    /// The SHA-256 of the RFC 8785 form of the rules.
    package var digest: Digest
    /// The position of the event; nil, like its time and its author, before the first activation.
    package var position: UInt64?
    package var activatedAt: Instant?
    /// The name of the person or of the API key that activated the rules.
    package var by: String?
    /// The rules with every default filled in.
    package var rules: JSONValue

    package init(
        name: String, digest: Digest, position: UInt64?, activatedAt: Instant?, by: String?, rules: JSONValue
    ) {
        self.name = name
        self.digest = digest
        self.position = position
        self.activatedAt = activatedAt
        self.by = by
        self.rules = rules
    }
}

extension RulesRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "name": .string(name), "digest": .string(digest.hex),
            "position": position.map { JSONValue(position: $0) } ?? .null, "activatedAt": JSONValue(activatedAt),
            "by": JSONValue(by), "rules": rules,
        ])
    }
}
