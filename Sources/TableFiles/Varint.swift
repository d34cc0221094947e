extension [UInt8] {
    /// Appends an unsigned LEB128 number.
    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

/// Reads an unsigned LEB128 number of at most 64 bits.
func varint(_ next: () -> UInt8) -> UInt64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while shift < 64 {
        let byte = next()
        value |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { break }
        shift += 7
    }
    return value
}

/// The form in which numbers of either sign are small if their magnitudes are.
extension Int64 {
    var zigzag: UInt64 { UInt64(bitPattern: self << 1 ^ self >> 63) }

    init(zigzag: UInt64) {
        self = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }
}
