package import Primitives

/// The properties of a minted chain. The defaults give a chain like Apple's; each changed property adds one defect. All
/// minted chains have the same subject names, so the root of one is a foreign root for another.
package struct SigningPlan: Sendable {
    /// Whole seconds, both ends included (RFC 5280 §4.1.2.5).
    package var rootValidity = SigningPlan.lastingValidity
    package var intermediateValidity = SigningPlan.lastingValidity
    package var leafValidity = SigningPlan.lastingValidity
    /// Whether the leaf has Apple's marker 1.2.840.113635.100.6.11.1.
    package var marksLeaf = true
    /// Whether the intermediate has Apple's marker 1.2.840.113635.100.6.2.1.
    package var marksIntermediate = true
    package var intermediateIsAuthority = true
    package var leafCurve = Curve.p256

    package enum Curve: Sendable { case p256, p384 }

    package init() {}

    /// 2014 to 2044, which includes every signing date of the tests.
    package static let lastingValidity =
        Instant(milliseconds: 1_388_534_400_000)...Instant(milliseconds: 2_335_219_200_000)
}
