/// A resource named by a path below `tile/`.
package enum TileResource: Hashable, Sendable {
    case hashes(Tile)
    /// The bundle of the entries whose leaf hashes form this tile of level 0.
    case entries(Tile)
}

extension TileResource {
    private static let groupDigits = 3
    /// Exceeds the 47 bytes of the longest path, `tile/entries/x036/x028/x797/x018/x963/967.p/255`.
    private static let pathBytesMax = 64

    /// `tile/<level>/<index>[.p/<width>]`, or `tile/entries/…`, without a leading slash.
    package var path: String {
        switch self {
        case .hashes(let tile): "tile/\(tile.level)/\(Self.suffix(of: tile))"
        case .entries(let tile): "tile/entries/\(Self.suffix(of: tile))"
        }
    }

    /// Reads a path in its only valid spelling; nil for any other text.
    package init?(path: String) {
        guard path.utf8.count <= Self.pathBytesMax else { return nil }
        let separator = UInt8(ascii: "/")
        var parts = path.utf8.split(separator: separator, omittingEmptySubsequences: false).map(Array.init)[...]
        guard let root = parts.popFirst(), root.elementsEqual("tile".utf8), let kind = parts.popFirst() else {
            return nil
        }

        var width = Tile.fullWidth
        if let marked = parts.dropLast().last, marked.suffix(2).elementsEqual(".p".utf8), let text = parts.popLast() {
            guard let value = UInt64(canonicalDecimal: text), 1..<UInt64(Tile.fullWidth) ~= value else { return nil }
            width = Int(value)
            parts = parts.dropLast() + [marked.dropLast(2)]
        }
        // Any grouping of the digits is accepted here. The comparison below rejects all but the valid one.
        let digits = parts.joined().filter { $0 != UInt8(ascii: "x") }
        guard let index = UInt64(String(decoding: digits, as: UTF8.self)), index < Tile.indexLimit else { return nil }

        if kind.elementsEqual("entries".utf8) {
            self = .entries(Tile(level: 0, index: index, width: width))
        } else {
            guard let level = UInt64(canonicalDecimal: kind), level <= UInt64(Tile.levels.upperBound) else {
                return nil
            }
            self = .hashes(Tile(level: Int(level), index: index, width: width))
        }
        guard path.utf8.elementsEqual(self.path.utf8) else { return nil }
    }

    /// Returns `x001/x234/067` for 1234067: no name is both a file and a folder.
    private static func suffix(of tile: Tile) -> String {
        var digits = String(tile.index)
        digits = String(repeating: "0", count: (groupDigits - digits.count % groupDigits) % groupDigits) + digits
        var path = ""
        for (offset, digit) in digits.enumerated() {
            let isGroupStart = offset.isMultiple(of: groupDigits)
            if isGroupStart, offset > 0 { path += "/" }
            if isGroupStart, offset < digits.count - groupDigits { path += "x" }
            path.append(digit)
        }
        return tile.isFull ? path : "\(path).p/\(tile.width)"
    }
}
