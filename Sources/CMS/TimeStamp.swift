package import Primitives

/// The statement of an authority that an imprint existed at an instant, verified.
package struct TimeStamp: Hashable, Sendable {
    /// The instant (genTime), without fractions of a millisecond.
    package let genTime: Instant
    /// The subject of the authority's certificate (RFC 4514).
    package let authority: String
    /// The number of the time stamp, in hexadecimal digits.
    package let serialNumber: String
}
