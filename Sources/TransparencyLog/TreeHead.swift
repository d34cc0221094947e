package import Primitives

/// The size and the root of the tree.
package struct TreeHead: Hashable, Sendable {
    package let size: UInt64
    package let root: Digest

    package init(size: UInt64, root: Digest) {
        self.size = size
        self.root = root
    }

    package static let empty = TreeHead(size: 0, root: MerkleTree.emptyRoot)
}

/// The stored form: the size in eight bytes, little-endian, then the root.
extension TreeHead {
    package static let byteCount = 8 + Digest.byteCount

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(size)
        bytes.append(root)
        return bytes
    }

    /// Nil unless there are `byteCount` bytes.
    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount == Self.byteCount else { return nil }
        self.init(size: bytes.littleEndian(at: 0, as: UInt64.self), root: bytes.digest(at: 8))
    }
}
