/// A key and a position it stands at. Keys are hashes: evenly spread, of 16 bytes.
package struct IndexEntry: Hashable, Comparable, Sendable {
    package let key: UInt128
    package let position: UInt64

    /// Stored big-endian, key first: sorted bytes are sorted entries.
    static let byteCount = 24

    /// Not above any.
    static let least = IndexEntry(key: 0, position: 0)

    package init(key: UInt128, position: UInt64) {
        self.key = key
        self.position = position
    }

    init(_ bytes: RawSpan, at offset: Int) {
        let (high, low) = (UInt64(bigEndian: bytes.word(at: offset)), UInt64(bigEndian: bytes.word(at: offset + 8)))
        key = UInt128(high) << 64 | UInt128(low)
        position = UInt64(bigEndian: bytes.word(at: offset + 16))
    }

    func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: key.bigEndian) { bytes += $0 }
        withUnsafeBytes(of: position.bigEndian) { bytes += $0 }
    }

    package static func < (left: IndexEntry, right: IndexEntry) -> Bool {
        left.key == right.key ? left.position < right.position : left.key < right.key
    }
}
