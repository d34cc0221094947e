import Primitives

/// A blocked Bloom filter (Putze, Sanders and Singler 2007): each key sets five bits of one cache line.
///
/// Most look-ups are for absent keys. With twelve bits per entry, about one absent key in a hundred passes.
package enum BloomFilter {
    private static let bitsAnEntry = 12
    private static let lineBytes = 64
    private static let bitsAKey = 5

    package static func bytes(of entries: ArraySlice<IndexEntry>) -> [UInt8] {
        let lines = (entries.count * bitsAnEntry + lineBytes * 8 - 1) / (lineBytes * 8)
        var bytes = [UInt8](repeating: 0, count: lines * lineBytes)
        for entry in entries {
            let line = line(of: entry.key, lines: lines)
            for bit in bits(of: entry.key) { bytes[line + bit / 8] |= 1 << UInt8(bit % 8) }
        }
        return bytes
    }

    package static func mayContain(_ key: UInt128, _ filter: RawSpan) -> Bool {
        // A damaged filter rejects no key.
        guard filter.byteCount >= lineBytes else { return true }
        let line = line(of: key, lines: filter.byteCount / lineBytes)
        return bits(of: key).allSatisfy { bit in
            filter.byte(at: line + bit / 8) & 1 << UInt8(bit % 8) != 0
        }
    }

    /// Returns the line of a key, from its low half. The high halves of neighbouring entries begin alike.
    private static func line(of key: UInt128, lines: Int) -> Int {
        Int(UInt64(truncatingIfNeeded: key).multipliedFullWidth(by: UInt64(lines)).high) * lineBytes
    }

    /// Returns the five bits of a key, from the low end of its high half, nine bits each.
    private static func bits(of key: UInt128) -> some Sequence<Int> {
        let high = UInt64(truncatingIfNeeded: key >> 64)
        return (0..<bitsAKey).lazy.map { Int(high >> UInt64($0 * 9) & 511) }
    }
}
