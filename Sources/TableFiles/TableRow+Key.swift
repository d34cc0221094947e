extension TableRow {
    /// Whether the key is before that of another row of the table: texts by bytes, numbers by value.
    package func isOrdered(before other: TableRow) -> Bool {
        for index in 0..<keyCount {
            let (left, right) = (cells[index], other.cells[index])
            if left.type.isText {
                let (mine, theirs) = (bytes[left.start..<left.end], other.bytes[right.start..<right.end])
                if mine != theirs { return mine.lexicographicallyPrecedes(theirs) }
            } else if left.value != right.value {
                return left.value < right.value
            }
        }
        return false
    }

    /// Appends a form of the key whose order by bytes is the order of keys: texts end with 0x00, which no clean text has;
    /// numbers are big-endian with the sign inverted.
    package func encodeKey(into output: inout [UInt8]) {
        precondition(count >= keyCount, "the key is incomplete")
        for cell in cells.prefix(keyCount) {
            if cell.type.isText {
                output.append(contentsOf: bytes[cell.start..<cell.end])
                output.append(0)
            } else {
                let ordered = UInt64(bitPattern: cell.value) ^ (1 << 63)
                withUnsafeBytes(of: ordered.bigEndian) { output.append(contentsOf: $0) }
            }
        }
    }
}

extension TableRow {
    /// Appends the key of a row of a table with the same key.
    package mutating func append(keyOf row: TableRow) {
        precondition(row.count >= row.keyCount, "the key is incomplete")
        for cell in row.cells.prefix(row.keyCount) {
            if cell.type.isText {
                row.bytes[cell.start..<cell.end].withUnsafeBufferPointer { append(verbatim: $0) }
            } else {
                append(number: cell.value)
            }
        }
    }
}
