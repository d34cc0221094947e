import Primitives

/// Under what a follower finds an event again: the first 16 bytes of a SHA-256. What is named so is the follower's
/// affair.
package struct IndexTerm: Hashable, Sendable {
    package let hash: UInt128

    package init(hashing bytes: [UInt8]) {
        hash = Digest.sha256(of: bytes).firstHalf
    }
}
