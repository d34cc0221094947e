package import LedgerAPI
package import LedgerModel

/// The rules that answers use at a log size.
package struct RulesInForce: Sendable {
    package let knownAt: Position
    package let rules: Rules
    /// The event that activated the rules; nil for those before the first activation.
    package let activation: RulesActivation?

    package var row: RulesRow {
        RulesRow(
            name: rules.name, digest: activation?.digest ?? rules.digest, position: activation?.position,
            activatedAt: activation?.recordedAt, by: activation?.by, rules: rules.json)
    }

    /// - Parameter activated: whether the caller activated the rules; nil for a caller that only reads them.
    package func answer(activated: Bool? = nil) -> RulesAnswer {
        RulesAnswer(activated: activated, knownAt: knownAt, rules: row)
    }
}

extension LedgerReader {
    /// Returns the active rules with the event that activated them.
    /// - Throws: `KnownAtAhead`; `StorageError`.
    package func rulesInForce(_ knownAt: AsOfQuery.KnownAt? = nil) throws -> RulesInForce {
        let size = try knownSize(knownAt)
        return RulesInForce(
            knownAt: size, rules: try rules(knownAt: size), activation: try activeRules.activation(knownAt: size))
    }

    /// Returns the active rules at the size of the log.
    func currentRules() throws -> Rules { try rules(knownAt: try knownSize(nil)) }

    /// Returns the active rules at a log size, at most that of `knownSize`.
    func rules(knownAt size: Position) throws -> Rules { try activeRules.rules(knownAt: size) }

    /// Returns the rules named in a question, else the active ones.
    /// - Parameter size: the log size of the answer.
    func rules(for question: AsOfQuery, knownAt size: Position) throws -> Rules {
        try question.rules ?? rules(knownAt: size)
    }
}
