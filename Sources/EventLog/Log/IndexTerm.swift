import Primitives

/// Under what a follower finds an event again: the first 16 bytes of a SHA-256. What is named so is the follower's
/// affair.
package struct IndexTerm: Hashable, Sendable {
    package let hash: UInt128

    package init(hashing bytes: [UInt8]) {
        let words = Digest.sha256(of: bytes).words
        hash = UInt128(words.0) << 64 | UInt128(words.1)
    }
}
