package import Primitives

extension Instant {
    /// Two dates that Apple means to be one may differ by so much.
    private static let joinTolerance: Int64 = 1_000

    /// Whether a period that ends here leaves no gap before one that begins (or a date that lies) at `other`.
    package func joins(_ other: Instant) -> Bool {
        advanced(byMilliseconds: Self.joinTolerance) >= other
    }
}
