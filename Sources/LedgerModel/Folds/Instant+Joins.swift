package import Primitives

extension Instant {
    /// Two dates that Apple means to be one may differ by so much.
    package static let joinTolerance: Int64 = 1_000

    package func isSame(as other: Instant) -> Bool {
        advanced(byMilliseconds: Self.joinTolerance) >= other
            && other.advanced(byMilliseconds: Self.joinTolerance) >= self
    }
}
