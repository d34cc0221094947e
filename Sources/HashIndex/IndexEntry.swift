import Primitives

/// A key and one of its positions. Keys are evenly distributed hashes of 16 bytes.
package struct IndexEntry: Hashable, Comparable, Sendable {
    package let key: UInt128
    package let position: UInt64

    /// Entries are stored big-endian, key first, so the order of bytes is that of entries.
    static let byteCount = 24

    /// The smallest entry.
    static let least = IndexEntry(key: 0, position: 0)

    package init(key: UInt128, position: UInt64) {
        self.key = key
        self.position = position
    }

    init(_ bytes: RawSpan, at offset: Int) {
        key = bytes.bigEndian(at: offset, as: UInt128.self)
        position = bytes.bigEndian(at: offset + 16, as: UInt64.self)
    }

    func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: key.bigEndian) { bytes += $0 }
        withUnsafeBytes(of: position.bigEndian) { bytes += $0 }
    }

    package static func < (left: IndexEntry, right: IndexEntry) -> Bool {
        left.key == right.key ? left.position < right.position : left.key < right.key
    }
}
