package import Primitives

/// What `SigningAuthority.mint` makes. As it stands a chain like Apple's; each property that is changed puts one
/// defect into it. Two minted chains bear the same subject names, so the root of one is a foreign root to the other.
package struct SigningPlan: Sendable {
    /// Both ends count (RFC 5280 §4.1.2.5); whole seconds.
    package var rootValidity = SigningPlan.lastingValidity
    package var intermediateValidity = SigningPlan.lastingValidity
    package var leafValidity = SigningPlan.lastingValidity
    /// Apple's 1.2.840.113635.100.6.11.1.
    package var marksLeaf = true
    /// Apple's 1.2.840.113635.100.6.2.1.
    package var marksIntermediate = true
    package var intermediateIsAuthority = true
    package var leafCurve = Curve.p256

    package enum Curve: Sendable { case p256, p384 }

    package init() {}

    /// 2014 to 2044: every date that tests sign lies within.
    package static let lastingValidity =
        Instant(milliseconds: 1_388_534_400_000)...Instant(milliseconds: 2_335_219_200_000)
}
