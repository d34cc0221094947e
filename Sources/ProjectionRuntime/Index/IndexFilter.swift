/// A Bloom filter that tells, by one line of the processor's cache, that a key is not among some entries: most
/// look-ups are of keys that are nowhere.
///
/// Blocked, as by Putze, Sanders and Singler (2007): a key sets five bits of one line of 512. With twelve bits an entry
/// about one absent key in a hundred passes.
package enum IndexFilter {
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
        // A filter that is damaged keeps nothing back.
        guard filter.byteCount >= lineBytes else { return true }
        let line = line(of: key, lines: filter.byteCount / lineBytes)
        return bits(of: key).allSatisfy { bit in
            filter.byte(at: line + bit / 8) & 1 << UInt8(bit % 8) != 0
        }
    }

    /// By the low half of the key: the entries of a filter are neighbours, so their high halves begin alike.
    private static func line(of key: UInt128, lines: Int) -> Int {
        Int(UInt64(truncatingIfNeeded: key).multipliedFullWidth(by: UInt64(lines)).high) * lineBytes
    }

    /// By the end of the high half, nine bits each.
    private static func bits(of key: UInt128) -> some Sequence<Int> {
        let high = UInt64(truncatingIfNeeded: key >> 64)
        return (0..<bitsAKey).lazy.map { Int(high >> UInt64($0 * 9) & 511) }
    }
}
