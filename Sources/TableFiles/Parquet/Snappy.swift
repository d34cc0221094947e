/// Compresses to the Snappy format (google/snappy, `format_description.txt`).
///
/// The output depends on the input alone.
package struct SnappyEncoder: Sendable {
    /// The last position + 1 of each hash of four bytes; 0 where there is none.
    private var positions: [UInt32] = Array(repeating: 0, count: 1 << Self.hashBits)

    private static let hashBits = 14
    /// The farthest copy whose distance takes two bytes.
    private static let longestDistance = 65_535

    package init() {}

    /// Appends the compressed form of `input`.
    package mutating func compress(_ input: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        precondition(input.count < UInt32.max, "Snappy counts in 32 bits")
        output.appendVarint(UInt64(input.count))
        for index in positions.indices { positions[index] = 0 }
        // A copy is shorter than its bytes, and a literal longer by one byte, or by up to five if it has over 60.
        output.append(addingCapacity: input.count + input.count / 6 + 32) { space in
            space.withUnsafeMutableBufferPointer { buffer, initialized in
                var elements = SnappyElements(buffer)
                positions.withUnsafeMutableBufferPointer { Self.compress(input, with: $0, to: &elements) }
                initialized = elements.count
            }
        }
    }

    private static func compress(
        _ input: UnsafeRawBufferPointer, with positions: UnsafeMutableBufferPointer<UInt32>,
        to elements: inout SnappyElements
    ) {
        var (literalStart, position, misses) = (0, 0, 0)
        while position + 4 <= input.count {
            let word = input.loadUnaligned(fromByteOffset: position, as: UInt32.self)
            let slot = Int((word &* 0x9E37_79B1) >> UInt32(32 - hashBits))
            let candidate = Int(positions[slot]) - 1
            positions[slot] = UInt32(truncatingIfNeeded: position + 1)
            if candidate >= 0, position - candidate <= longestDistance,
                input.loadUnaligned(fromByteOffset: candidate, as: UInt32.self) == word
            {
                let length = 4 + commonLength(input, candidate + 4, position + 4)
                elements.appendLiteral(input, literalStart..<position)
                elements.appendCopy(distance: position - candidate, length: length)
                position += length
                (literalStart, misses) = (position, 0)
            } else {
                // Steps grow with misses, so that incompressible input is passed over.
                misses += 1
                position += 1 + misses >> 5
            }
        }
        elements.appendLiteral(input, literalStart..<input.count)
    }

    /// Returns how many bytes from `earlier` and from `later` on are equal.
    private static func commonLength(_ input: UnsafeRawBufferPointer, _ earlier: Int, _ later: Int) -> Int {
        var length = 0
        while later + length + 8 <= input.count {
            let left = input.loadUnaligned(fromByteOffset: earlier + length, as: UInt64.self)
            let right = input.loadUnaligned(fromByteOffset: later + length, as: UInt64.self)
            if left != right { return length + (left.littleEndian ^ right.littleEndian).trailingZeroBitCount / 8 }
            length += 8
        }
        while later + length < input.count, input[earlier + length] == input[later + length] { length += 1 }
        return length
    }
}

/// The literals and copies of a Snappy stream, written into a buffer that is large enough for them.
private struct SnappyElements {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
    }

    private mutating func append(_ byte: Int) {
        buffer[count] = UInt8(truncatingIfNeeded: byte)
        count += 1
    }

    /// Appends bytes of the input (§2.1). Lengths above 60 follow the tag.
    mutating func appendLiteral(_ input: UnsafeRawBufferPointer, _ range: Range<Int>) {
        if range.isEmpty { return }
        let length = range.count - 1
        if length < 60 {
            append(length << 2)
        } else {
            let lengthBytes = (Int.bitWidth - length.leadingZeroBitCount + 7) / 8
            append((59 + lengthBytes) << 2)
            for index in 0..<lengthBytes { append(length >> (8 * index)) }
        }
        let space = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        space.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[range]))
        count += range.count
    }

    /// Appends a copy of earlier bytes (§2.2), in parts of at most 64.
    mutating func appendCopy(distance: Int, length: Int) {
        var rest = length
        // A rest of less than four bytes would not fit the short form.
        while rest >= 68 {
            appendLongCopy(distance: distance, length: 64)
            rest -= 64
        }
        if rest > 64 {
            appendLongCopy(distance: distance, length: 60)
            rest -= 60
        }
        if rest < 12, distance < 2_048 {
            append(1 | (rest - 4) << 2 | (distance >> 8) << 5)
            append(distance)
        } else {
            appendLongCopy(distance: distance, length: rest)
        }
    }

    private mutating func appendLongCopy(distance: Int, length: Int) {
        append(2 | (length - 1) << 2)
        append(distance)
        append(distance >> 8)
    }
}
