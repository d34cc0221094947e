import Primitives

/// The distinct values of a column chunk, and the number of each value in the order of their first appearance.
///
/// The values stay in the chunk's PLAIN buffer. A chunk with too many distinct values has no dictionary.
struct ValueDictionary {
    static let maximumCount = 65_536
    static let maximumSize = 1 << 20

    private struct Entry {
        let start: Int
        let count: Int
        let hash: UInt64
    }

    /// Whether the distinct values are within the limits.
    private(set) var isWithinLimits = true
    /// The number of each value's entry.
    private(set) var indices: [UInt16] = []
    /// The length of the entries in bytes.
    private(set) var size = 0
    private var entries: [Entry] = []
    /// The number + 1 of the entry with a hash, at the first free place from the hash on; 0 where there is none.
    private var slots: [UInt32] = Array(repeating: 0, count: Self.leastSlotCount)

    private static let leastSlotCount = 1_024

    var count: Int { entries.count }

    /// The bits that the number of any entry needs, at least one.
    var bitWidth: Int { max(1, Int.bitWidth - (count - 1).leadingZeroBitCount) }

    /// Removes all values, for another chunk.
    mutating func removeAll() {
        isWithinLimits = true
        indices.removeAll(keepingCapacity: true)
        size = 0
        entries.removeAll(keepingCapacity: true)
        slots = Array(repeating: 0, count: Self.leastSlotCount)
    }

    /// Adds the value at the end of the chunk's values.
    mutating func append(from start: Int, of values: [UInt8]) {
        if !isWithinLimits { return }
        values.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[start...]), of: $0, start: start) }
    }

    private mutating func append(
        _ value: UnsafeRawBufferPointer, of values: UnsafeRawBufferPointer, start: Int
    ) {
        if let last = indices.last, isEqual(value, Int(last), of: values) { return indices.append(last) }
        let hash = Self.hash(value)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if entries[index].hash == hash, isEqual(value, index, of: values) {
                return indices.append(UInt16(index))
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        guard count < Self.maximumCount, size + value.count <= Self.maximumSize else {
            isWithinLimits = false
            return
        }
        indices.append(UInt16(count))
        entries.append(Entry(start: start, count: value.count, hash: hash))
        size += value.count
        slots[slot] = UInt32(count)
        if count * 2 > slots.count { grow() }
    }

    private func isEqual(_ value: UnsafeRawBufferPointer, _ index: Int, of values: UnsafeRawBufferPointer) -> Bool {
        let entry = entries[index]
        return equalBytes(value, UnsafeRawBufferPointer(rebasing: values[entry.start..<entry.start + entry.count]))
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 2)
        for (index, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }

    /// Appends the entries in PLAIN form.
    func appendEntries(of values: [UInt8], to output: inout [UInt8]) {
        for entry in entries { output.append(contentsOf: values[entry.start..<entry.start + entry.count]) }
    }

    /// Mixes the bytes in words of eight. The numbers of entries, and so the file, do not depend on it.
    private static func hash(_ value: UnsafeRawBufferPointer) -> UInt64 {
        var hash = mixed(UInt64(value.count))
        var offset = 0
        while offset + 8 <= value.count {
            hash = mixed(hash ^ value.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < value.count {
            rest = rest << 8 | UInt64(value[offset])
            offset += 1
        }
        return mixed(hash ^ rest)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        let (high, low) = (value ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return high ^ low
    }
}
