import Primitives

/// The distinct values of a column chunk, and the number of each value in the order of their first appearance.
///
/// Reused for all chunks.
struct ValueDictionary {
    private static let maximumCount = 65_536
    private static let maximumSize = 1 << 20

    /// Keeps callers from choosing values with equal hashes. Neither the numbers of entries nor the file depend on it.
    private static let seed = UInt64.random(in: 0 ... .max)

    /// The number of each value's entry.
    private(set) var indices: [UInt16] = []
    /// The entries in PLAIN form.
    private(set) var entries: [UInt8] = []
    /// The place in the chunk of the first value that is equal to an entry.
    private var firstOffsets: [Int] = []
    /// At the first free place from that of its hash on, the number + 1 of an entry in the low bits, and in the others
    /// those of its hash; 0 where there is none.
    private var slots: [UInt64] = []

    /// The low bits of a slot, which hold numbers up to 65,536.
    private static let numberMask: UInt64 = 1 << 17 - 1

    var count: Int { firstOffsets.count }

    /// The bits that the number of any entry needs, at least one.
    var bitWidth: Int { max(1, Int.bitWidth - (count - 1).leadingZeroBitCount) }

    /// The size of the values with this dictionary.
    var encodedSize: Int { entries.count + indices.count * bitWidth / 8 }

    /// Finds the distinct values.
    /// - Parameter values: the values in PLAIN form.
    /// - Returns: whether they are within the limits; the dictionary is not usable if they are not.
    mutating func fill(from values: UnsafeRawBufferPointer, of type: ParquetType, count: Int) -> Bool {
        indices.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        firstOffsets.removeAll(keepingCapacity: true)
        let slotBits = Int.bitWidth - min(count, Self.maximumCount).leadingZeroBitCount + 1
        slots.removeAll(keepingCapacity: true)
        slots.append(contentsOf: repeatElement(0, count: 1 << slotBits))
        var offset = 0
        while offset < values.count {
            let size = type.plainSize(in: values, at: offset)
            guard let index = index(of: offset..<offset + size, in: values, slotBits: slotBits) else { return false }
            indices.append(index)
            offset += size
        }
        return true
    }

    /// Returns the number of the entry for a value, which is added if it is new; nil beyond the limits.
    private mutating func index(of range: Range<Int>, in values: UnsafeRawBufferPointer, slotBits: Int) -> UInt16? {
        let value = UnsafeRawBufferPointer(rebasing: values[range])
        if let last = indices.last, isEqual(value, Int(last), in: values) { return last }
        let hash = Self.hash(value)
        var slot = Int(hash >> UInt64(UInt64.bitWidth - slotBits))
        while slots[slot] != 0 {
            if (slots[slot] ^ hash) & ~Self.numberMask == 0 {
                let index = Int(slots[slot] & Self.numberMask) - 1
                if isEqual(value, index, in: values) { return UInt16(index) }
            }
            slot = (slot + 1) & (1 << slotBits - 1)
        }
        guard count < Self.maximumCount, entries.count + value.count <= Self.maximumSize else { return nil }
        firstOffsets.append(range.lowerBound)
        entries.append(contentsOf: value)
        slots[slot] = hash & ~Self.numberMask | UInt64(count)
        return UInt16(count - 1)
    }

    /// Whether a value is equal to an entry. As many bytes as the value has follow the entry's offset, which is before
    /// the value, and texts of other lengths differ in their lengths.
    private func isEqual(_ value: UnsafeRawBufferPointer, _ index: Int, in values: UnsafeRawBufferPointer) -> Bool {
        let start = firstOffsets[index]
        return equalBytes(value, UnsafeRawBufferPointer(rebasing: values[start..<start + value.count]))
    }

    /// Mixes a value of at least four bytes.
    private static func hash(_ value: UnsafeRawBufferPointer) -> UInt64 {
        let count = value.count
        if count < 8 {
            let (first, last) = (word(value, 0, UInt32.self), word(value, count - 4, UInt32.self))
            return mixed(seed ^ (UInt64(first) << 32 | UInt64(last)))
        }
        var hash = seed
        for offset in stride(from: 0, to: count - 8, by: 8) { hash = mixed(hash ^ word(value, offset, UInt64.self)) }
        return mixed(hash ^ word(value, count - 8, UInt64.self))
    }

    private static func word<Word: FixedWidthInteger & BitwiseCopyable>(
        _ value: UnsafeRawBufferPointer, _ offset: Int, _ type: Word.Type
    ) -> Word {
        value.loadUnaligned(fromByteOffset: offset, as: type)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        let (high, low) = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return high ^ low
    }
}
