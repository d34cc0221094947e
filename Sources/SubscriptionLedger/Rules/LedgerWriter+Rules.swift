import EventLog
import Ingestion
package import LedgerModel
package import Primitives

/// A name that cannot be recorded with an activation of rules.
package struct InvalidActivator: DiagnosedError, Hashable, Sendable {
    package let name: String

    package var diagnosis: Diagnosis {
        Diagnosis("parameter_invalid", "invalid name of the activator", expected: Rules.nameForm, found: name)
    }
}

extension LedgerWriter {
    /// Activates rules for every answer that knows the appended event. Active rules are not activated again.
    ///
    /// - Parameters:
    ///   - text: the rules file, which becomes the evidence of the event.
    ///   - by: the name of the person or of the API key.
    /// - Returns: the rules in force afterwards, and whether an event was appended.
    /// - Throws: `InvalidActivator`; `StorageError`.
    package func activate(
        _ rules: Rules, text: String, by: String, source: EventSource = .operator
    ) async throws -> (rules: RulesInForce, isAppended: Bool) {
        guard Rules.isName(by) else { throw InvalidActivator(name: by) }
        let active = try reader.rulesInForce()
        guard active.rules != rules else { return (active, false) }
        let draft = RulesEvents.activated(
            rules, text: text, by: by, after: active.activation?.position, source: source)
        let result = try await append(draft)
        return (try reader.rulesInForce(), result.isAppended)
    }
}
