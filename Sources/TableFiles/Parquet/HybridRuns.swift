/// Appends numbers in the hybrid of run lengths and bit-packed groups of eight (parquet-format, Encodings.md, "RLE"), in
/// which Parquet stores definition levels and the numbers of dictionary values.
struct HybridRuns<Number: FixedWidthInteger & UnsignedInteger> {
    let numbers: UnsafeBufferPointer<Number>
    let bitWidth: Int

    func append(to output: inout [UInt8]) {
        var (packedStart, position) = (0, 0)
        while position < numbers.count {
            let length = runLength(at: position)
            if length >= 8 {
                appendPacked(packedStart..<position, to: &output)
                appendRun(of: numbers[position], length: length, to: &output)
                position += length
                packedStart = position
            } else {
                // Packed groups are full, except the last one.
                position = min(position + 8, numbers.count)
            }
        }
        appendPacked(packedStart..<numbers.count, to: &output)
    }

    private func runLength(at start: Int) -> Int {
        var end = start + 1
        while end < numbers.count, numbers[end] == numbers[start] { end += 1 }
        return end - start
    }

    private func appendRun(of number: Number, length: Int, to output: inout [UInt8]) {
        output.appendVarint(UInt64(length) << 1)
        for index in 0..<(bitWidth + 7) / 8 { output.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }

    private func appendPacked(_ range: Range<Int>, to output: inout [UInt8]) {
        if range.isEmpty { return }
        let groupCount = (range.count + 7) / 8
        output.appendVarint(UInt64(groupCount) << 1 | 1)
        let size = groupCount * bitWidth
        output.append(addingCapacity: size) { space in
            var (bits, bitCount) = (UInt64(0), 0)
            for index in range {
                bits |= UInt64(numbers[index]) << UInt64(bitCount)
                bitCount += bitWidth
                while bitCount >= 8 {
                    space.append(UInt8(truncatingIfNeeded: bits))
                    bits >>= 8
                    bitCount -= 8
                }
            }
            while space.count < size {
                space.append(UInt8(truncatingIfNeeded: bits))
                bits >>= 8
            }
        }
    }
}
