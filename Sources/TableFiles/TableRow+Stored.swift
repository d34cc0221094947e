/// The form in which rows are sorted outside memory: for each cell, 0 for null; for a text its length (LEB128) and its
/// bytes, as no text is empty; for a number 1 + n, and the n significant bytes of its zigzag form.
extension TableRow {
    /// Appends the stored form of the cells appended so far. It does not have `lossy`.
    package func encode(into output: inout [UInt8]) {
        for cell in cells.prefix(count) {
            if cell.isNull {
                output.append(0)
            } else if cell.type.isText {
                output.appendVarint(UInt64(cell.end - cell.start))
                output.append(contentsOf: bytes[cell.start..<cell.end])
            } else {
                var zigzag = cell.value.zigzag
                let length = (71 - zigzag.leadingZeroBitCount) / 8
                output.append(UInt8(1 + length))
                for _ in 0..<length {
                    output.append(UInt8(truncatingIfNeeded: zigzag))
                    zigzag >>= 8
                }
            }
        }
    }

    /// Replaces the cells with those of a stored form, up to its end. Bytes that are not a stored form trap.
    package mutating func decode(_ stored: UnsafeRawBufferPointer) {
        removeAll()
        var offset = 0
        func next() -> UInt8 {
            precondition(offset < stored.count, "the stored row is cut off")
            offset += 1
            return stored[offset - 1]
        }
        while offset < stored.count {
            if nextType.isText {
                let length = Int(varint(next))
                precondition(length <= stored.count - offset, "the stored row is cut off")
                let text = UnsafeRawBufferPointer(rebasing: stored[offset..<offset + length])
                append(verbatim: text.assumingMemoryBound(to: UInt8.self))
                offset += length
            } else {
                let length = Int(next()) - 1
                precondition(length <= 8, "the stored row is damaged")
                var zigzag: UInt64 = 0
                for index in 0..<max(0, length) { zigzag |= UInt64(next()) << (8 * UInt64(index)) }
                append(number: length < 0 ? nil : Int64(zigzag: zigzag))
            }
        }
    }
}
