/// Writes CSV after RFC 4180: a header, CRLF, quotes only where they are needed. Null is nothing, and no text is empty.
package struct CSVWriter: TableFileWriter {
    package var output: [UInt8] = []

    package init(_ schema: TableSchema) {
        output += schema.columns.map(\.name).joined(separator: ",").utf8
        output += Self.lineEnd
    }

    package mutating func append(_ row: TableRow) {
        precondition(row.isComplete, "the row is incomplete")
        for (index, cell) in row.cells.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            if cell.isNull { continue }
            let text = row.bytes[cell.start..<cell.end]
            if cell.type.isText, text.contains(where: Self.needsQuotes) {
                append(quoted: text)
            } else {
                output.append(contentsOf: text)
            }
        }
        output += Self.lineEnd
    }

    package mutating func finish() {}

    private static let lineEnd: [UInt8] = Array("\r\n".utf8)

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
        default: false
        }
    }

    private mutating func append(quoted text: ArraySlice<UInt8>) {
        output.append(UInt8(ascii: "\""))
        for byte in text {
            if byte == UInt8(ascii: "\"") { output.append(byte) }
            output.append(byte)
        }
        output.append(UInt8(ascii: "\""))
    }
}
