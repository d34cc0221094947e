import Primitives

/// An index term of events: the first 16 bytes of a SHA-256.
package struct IndexTerm: Hashable, Sendable {
    package let hash: UInt128

    package init(hashing bytes: [UInt8]) {
        hash = Digest.sha256(of: bytes).firstHalf
    }
}
