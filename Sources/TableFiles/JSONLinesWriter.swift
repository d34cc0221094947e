import Primitives

/// Writes an object a line, with the members in the order of the columns. Nulls are written. Integers and booleans are
/// JSON numbers and booleans, JSON columns the values themselves, and everything else a string.
package struct JSONLinesWriter: TableFileWriter {
    package var output: [UInt8] = []
    /// The bytes before each value.
    private let openings: [[UInt8]]

    package init(_ schema: TableSchema) {
        openings = schema.columns.enumerated().map { index, column in
            Array("\(index == 0 ? "{" : ",")\"\(column.name)\":".utf8)
        }
    }

    package mutating func append(_ row: TableRow) {
        precondition(row.isComplete, "the row is incomplete")
        for (cell, opening) in zip(row.cells, openings) {
            output.append(contentsOf: opening)
            if cell.isNull {
                output.append(contentsOf: "null".utf8)
                continue
            }
            let text = row.bytes[cell.start..<cell.end]
            switch cell.type {
            case .int64, .int32, .boolean, .json: output.append(contentsOf: text)
            case .text: append(string: text)
            case .hex, .instant, .date, .money, .rate: append(quoted: text)
            }
        }
        output.append(contentsOf: "}\n".utf8)
    }

    package mutating func finish() {}

    private mutating func append(string text: ArraySlice<UInt8>) {
        let isPlain = text.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if isPlain {
            append(quoted: text)
        } else {
            JSONValue.string(String(decoding: text, as: UTF8.self)).write(to: &output, canonical: true)
        }
    }

    private mutating func append(quoted text: ArraySlice<UInt8>) {
        output.append(UInt8(ascii: "\""))
        output.append(contentsOf: text)
        output.append(UInt8(ascii: "\""))
    }
}
