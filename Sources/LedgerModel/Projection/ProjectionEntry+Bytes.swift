import AppStoreModel
package import Primitives

/// The stored form of the rows of a key: `validUntil i64 ‖ rowCount u32 ‖ rows`, little-endian; `validUntil` is the
/// greatest integer when time alone does not change the rows.
extension ProjectionEntry {
    package func append(to bytes: inout [UInt8], columns: [Column<Row>]) {
        bytes.appendLittleEndian(validUntil?.milliseconds ?? .max)
        bytes.appendLittleEndian(UInt32(rows.count))
        // The writer takes the array itself, so nothing is copied.
        var writer = RowWriter(appendingTo: bytes.taken())
        for row in rows { writer.row(row, columns) }
        bytes = writer.bytes
    }
}

/// The stored rows of a key.
package struct StoredEntry {
    package let validUntil: Instant?
    package let rowCount: Int
    private let rows: ArraySlice<UInt8>

    /// Returns nil when the bytes are too short.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= Self.headerByteCount else { return nil }
        let milliseconds = bytes.span.bytes.littleEndian(at: 0, as: Int64.self)
        validUntil = milliseconds == .max ? nil : Instant(milliseconds: milliseconds)
        rowCount = Int(bytes.span.bytes.littleEndian(at: 8, as: UInt32.self))
        rows = bytes.dropFirst(Self.headerByteCount)
    }

    private static var headerByteCount: Int { 12 }

    /// Returns the values of the rows; nil when the bytes are damaged.
    package func values(_ columns: [ColumnSchema]) -> [[ColumnValue?]]? {
        var reader = RowReader(rows, columns: columns)
        var values: [[ColumnValue?]] = []
        for _ in 0..<rowCount {
            guard let row = reader.next() else { return nil }
            values.append(row)
        }
        return reader.isAtEnd ? values : nil
    }
}

extension [UInt8] {
    /// Returns the array, and leaves an empty one.
    fileprivate mutating func taken() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &self)
        return taken
    }
}

extension SubscriptionKey {
    /// A form whose order as bytes is that of keys: the parts, each but the last before a zero byte. A zero byte in a
    /// part is followed by 255, which no UTF-8 text contains.
    package func appendOrdered(to bytes: inout [UInt8]) {
        for (index, part) in [environment.rawValue, bundleId, originalTransactionId].enumerated() {
            if index > 0 { bytes.append(0) }
            for byte in part.utf8 {
                bytes.append(byte)
                if byte == 0 { bytes.append(255) }
            }
        }
    }

    /// Creates a key from its ordered form; nil for any other bytes.
    package init?(ordered bytes: ArraySlice<UInt8>) {
        var parts: [[UInt8]] = [[]]
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let isZero = bytes[index] == 0
            let isEscaped = isZero && index + 1 < bytes.endIndex && bytes[index + 1] == 255
            if isZero, !isEscaped { parts.append([]) } else { parts[parts.count - 1].append(bytes[index]) }
            index += isEscaped ? 2 : 1
        }
        let texts = parts.compactMap { String(validating: $0, as: UTF8.self) }
        guard texts.count == 3, parts.count == 3 else { return nil }
        self.init(environment: Environment(rawValue: texts[0]), bundleId: texts[1], originalTransactionId: texts[2])
    }
}
