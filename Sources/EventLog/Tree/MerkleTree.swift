package import Primitives

import struct Crypto.SHA256

/// The hash tree of RFC 6962 §2.1 over SHA-256.
package enum MerkleTree {
    // RFC 6962 §2.1: different first bytes, so that no entry can pass for a pair of hashes.
    private static let leafPrefix: UInt8 = 0
    private static let nodePrefix: UInt8 = 1

    /// The root of the tree without entries: SHA-256 of nothing.
    package static let emptyRoot = Digest.sha256(of: [])

    /// SHA-256(0x00 ‖ entry).
    package static func leafHash(of entry: RawSpan) -> Digest {
        var hash = SHA256()
        withUnsafeBytes(of: leafPrefix) { hash.update(bufferPointer: $0) }
        entry.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return Digest(hash.finalize())
    }

    package static func leafHash(of entry: [UInt8]) -> Digest {
        leafHash(of: entry.span.bytes)
    }

    /// SHA-256(0x01 ‖ left ‖ right).
    package static func nodeHash(_ left: Digest, _ right: Digest) -> Digest {
        // On the stack: every append hashes one node on average.
        withUnsafeTemporaryAllocation(byteCount: 1 + 2 * Digest.byteCount, alignment: 1) { input in
            input[0] = nodePrefix
            left.withBytes { UnsafeMutableRawBufferPointer(rebasing: input[1...32]).copyMemory(from: $0) }
            right.withBytes { UnsafeMutableRawBufferPointer(rebasing: input[33...64]).copyMemory(from: $0) }
            return Digest.sha256(of: UnsafeRawBufferPointer(input))
        }
    }

    /// The root over leaf hashes, by the definition.
    ///
    /// - Complexity: a node hash for each leaf.
    package static func root(of leafHashes: some RandomAccessCollection<Digest>) -> Digest {
        guard let first = leafHashes.first else { return emptyRoot }
        guard leafHashes.count > 1 else { return first }
        let left = Int(splitPoint(of: UInt64(leafHashes.count)))
        return nodeHash(root(of: leafHashes.prefix(left)), root(of: leafHashes.dropFirst(left)))
    }

    /// The largest power of two below `count`, which is at least 2: where the tree over `count` entries splits.
    static func splitPoint(of count: UInt64) -> UInt64 {
        largestPowerOfTwo(within: count - 1)
    }

    /// The largest power of two not above `count`, which is at least 1: the first complete subtree of `count` entries.
    static func largestPowerOfTwo(within count: UInt64) -> UInt64 {
        1 << UInt64(UInt64.bitWidth - 1 - count.leadingZeroBitCount)
    }
}
