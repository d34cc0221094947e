import Primitives

/// Reads stored rows one after the other.
package struct RowReader {
    private let bytes: ArraySlice<UInt8>
    private let columns: [ColumnSchema]
    private var offset: Int

    /// - Parameter bytes: rows that `RowWriter` wrote with these columns.
    package init(_ bytes: ArraySlice<UInt8>, columns: [ColumnSchema]) {
        self.bytes = bytes
        self.columns = columns
        offset = bytes.startIndex
    }

    /// Returns the value of each column in the next row, nil where it is absent.
    /// - Returns: nil when the bytes are damaged.
    package mutating func next() -> [ColumnValue?]? {
        guard let present: UInt64 = number() else { return nil }
        var values: [ColumnValue?] = []
        values.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() {
            guard present & (1 << UInt64(index)) != 0 else {
                values.append(nil)
                continue
            }
            guard let value = value(of: column.type) else { return nil }
            values.append(value)
        }
        return values
    }

    /// Whether all bytes were read.
    package var isAtEnd: Bool { offset == bytes.endIndex }

    private mutating func value(of type: ColumnSchema.ColumnType) -> ColumnValue? {
        switch type {
        case .text: text().map(ColumnValue.text)
        case .integer: number().map(ColumnValue.integer)
        case .instant: number().map { .instant(Instant(milliseconds: $0)) }
        case .flag: (number() as UInt8?).map { .flag($0 == 1) }
        case .texts: list { $0.text() }.map(ColumnValue.texts)
        case .positions: list { $0.number() }.map(ColumnValue.positions)
        case .object: .object
        }
    }

    private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>() -> Number? {
        let size = Number.bitWidth / 8
        guard bytes.endIndex - offset >= size else { return nil }
        defer { offset += size }
        return bytes.span.bytes.littleEndian(at: offset - bytes.startIndex, as: Number.self)
    }

    private mutating func text() -> String? {
        guard let count: UInt32 = number(), bytes.endIndex - offset >= Int(count) else { return nil }
        defer { offset += Int(count) }
        return String(validating: bytes[offset..<offset + Int(count)], as: UTF8.self)
    }

    private mutating func list<Element>(_ element: (inout RowReader) -> Element?) -> [Element]? {
        guard let count: UInt32 = number() else { return nil }
        var elements: [Element] = []
        // Every element takes at least four bytes, so the loop ends with the bytes at the latest.
        for _ in 0..<count {
            guard let element = element(&self) else { return nil }
            elements.append(element)
        }
        return elements
    }
}
