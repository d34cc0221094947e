import Primitives

/// A stored block: entries in ascending order, without gaps.
struct Block: ~Escapable {
    private let bytes: RawSpan

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) { self.bytes = bytes }

    static func bytes(of entries: ArraySlice<IndexEntry>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * IndexEntry.byteCount)
        for entry in entries { entry.append(to: &bytes) }
        return bytes
    }

    var count: Int { bytes.byteCount / IndexEntry.byteCount }

    /// Whether no part of an entry is left.
    var isWhole: Bool { bytes.byteCount % IndexEntry.byteCount == 0 }

    subscript(index: Int) -> IndexEntry { IndexEntry(bytes, at: index * IndexEntry.byteCount) }

    /// Returns the index of the first entry that is not below `entry`.
    func index(of entry: IndexEntry) -> Int {
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = self[middle] < entry ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
