package import Primitives

extension Instant {
    /// The tolerance within which two dates are the same, in milliseconds.
    package static let joinTolerance: Int64 = 1_000

    package func isSame(as other: Instant) -> Bool {
        advanced(byMilliseconds: Self.joinTolerance) >= other
            && other.advanced(byMilliseconds: Self.joinTolerance) >= self
    }
}
