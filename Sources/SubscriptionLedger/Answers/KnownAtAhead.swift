package import LedgerModel
package import Primitives

/// The refusal of a question about more events than the log contains. Its answer would change when the log grows.
package struct KnownAtAhead: DiagnosedError, Hashable, Sendable {
    package let asked: Position
    package let size: Position

    package var diagnosis: Diagnosis {
        Diagnosis(
            "known_at_ahead", "knownAt is beyond the log size", expected: "at most \(size)",
            found: "\(asked)", hint: "Use a log size, which is the newest position plus one.")
    }
}
