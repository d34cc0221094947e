package import Primitives

import struct Crypto.SHA256

/// The hash tree of RFC 6962 §2.1 over SHA-256.
package enum MerkleTree {
    // RFC 6962 §2.1: different first bytes ensure that no entry has the hash of a pair of hashes.
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
        // Allocated on the stack: every append hashes one node on average.
        withUnsafeTemporaryAllocation(byteCount: 1 + 2 * Digest.byteCount, alignment: 1) { input in
            input[0] = nodePrefix
            left.withBytes { UnsafeMutableRawBufferPointer(rebasing: input[1...32]).copyMemory(from: $0) }
            right.withBytes { UnsafeMutableRawBufferPointer(rebasing: input[33...64]).copyMemory(from: $0) }
            return Digest.sha256(of: UnsafeRawBufferPointer(input))
        }
    }

    /// Returns the root over leaf hashes, following the definition.
    ///
    /// - Complexity: one node hash per leaf.
    package static func root(of leafHashes: some RandomAccessCollection<Digest>) -> Digest {
        guard let first = leafHashes.first else { return emptyRoot }
        guard leafHashes.count > 1 else { return first }
        let left = Int(splitPoint(of: UInt64(leafHashes.count)))
        return nodeHash(root(of: leafHashes.prefix(left)), root(of: leafHashes.dropFirst(left)))
    }

    /// Returns the largest power of two below `count`: the split point of a tree of `count` entries. `count` is
    /// at least 2.
    static func splitPoint(of count: UInt64) -> UInt64 {
        largestPowerOfTwo(within: count - 1)
    }

    /// Returns the largest power of two not above `count`: the size of the first complete subtree. `count` is
    /// at least 1.
    static func largestPowerOfTwo(within count: UInt64) -> UInt64 {
        1 << UInt64(UInt64.bitWidth - 1 - count.leadingZeroBitCount)
    }
}
