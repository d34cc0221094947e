/// Up to 256 adjacent hashes of one level of tiles, the unit in which the tree is published (C2SP tlog-tiles).
///
/// Level 0 contains leaf hashes, level L the roots of full tiles of level L - 1.
package struct Tile: Hashable, Sendable {
    /// The number of levels of the binary tree in a tile.
    package static let height = 8
    package static let fullWidth = 256
    package static let levels = 0...63
    /// Exceeds the index of any tile of a tree of 2^63 entries, the maximum supported size.
    package static let indexLimit: UInt64 = 1 << 55

    package let level: Int
    /// The index, counted in full tiles.
    package let index: UInt64
    /// The number of hashes, starting with the first: 256 in a full tile, fewer in a partial one.
    package let width: Int

    /// - Precondition: `level` is one of `levels`, `index` is below `indexLimit` and `width` is 1 to 256.
    package init(level: Int, index: UInt64, width: Int = fullWidth) {
        precondition(Self.levels.contains(level), "a tile's level is 0 to 63")
        precondition(index < Self.indexLimit, "a tile's index is below 2^55")
        precondition(1...Self.fullWidth ~= width, "a tile's width is 1 to 256")
        self.level = level
        self.index = index
        self.width = width
    }

    package var isFull: Bool { width == Self.fullWidth }

    /// The indices of its hashes on their level; at level 0 also the indices of the entries.
    package var indices: Range<UInt64> {
        let first = index * UInt64(Self.fullWidth)
        return first..<first + UInt64(width)
    }

    /// Whether the tree of `size` entries has every hash of the tile.
    package func isComplete(inTreeOf size: UInt64) -> Bool {
        indices.upperBound <= Self.hashCount(ofLevel: level, inTreeOf: size)
    }
}

extension Tile {
    /// The levels at which the tree of `size` entries has tiles.
    package static func levels(inTreeOf size: UInt64) -> Range<Int> {
        let bits = UInt64.bitWidth - size.leadingZeroBitCount
        return 0..<(bits + height - 1) / height
    }

    /// Returns the tiles of `level` in the tree of `size` entries: full ones, then a partial one unless it would be
    /// empty.
    package static func tiles(ofLevel level: Int, inTreeOf size: UInt64) -> some Collection<Tile> {
        let count = hashCount(ofLevel: level, inTreeOf: size)
        let full = UInt64(fullWidth)
        let tiles = count / full + (count.isMultiple(of: full) ? 0 : 1)
        return (0..<tiles).lazy.map { index in
            Tile(level: level, index: index, width: Int(min(full, count - index * full)))
        }
    }

    private static func hashCount(ofLevel level: Int, inTreeOf size: UInt64) -> UInt64 {
        size >> (height * level)
    }
}
