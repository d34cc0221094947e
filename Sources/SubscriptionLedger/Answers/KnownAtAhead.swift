package import LedgerModel

/// The refusal of a question about more events than the log holds. Its answer would change when the log grows.
package struct KnownAtAhead: Error, Hashable, Sendable {
    package static let code = "known_at_ahead"

    package let asked: Position
    package let size: Position

    package var message: String { "the log does not hold as many events as knownAt" }
    package var expected: String { "at most \(size)" }
    package var found: String { "\(asked)" }
    package var hint: String { "The size of the log is one more than its newest position." }
}
