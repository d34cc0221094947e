import Primitives

/// A row under construction, which is reused for all rows of a table: no cell allocates memory.
///
/// Cells are appended in the order of the columns. A value of the wrong type, a missing cell, and null in a column that
/// is not nullable are programming errors and trap. Values that no column can hold are replaced, and counted in `lossy`.
package struct TableRow: Sendable {
    struct Cell: BitwiseCopyable, Sendable {
        let type: ColumnType
        let isNullable: Bool
        let isIdentifier: Bool
        var isNull = true
        /// The place of the text in `bytes`.
        var start = 0
        var end = 0
        /// The number, if the type has one.
        var value: Int64 = 0
    }

    package let keyCount: Int
    /// The form of the cells that the digest of a row hashes: 0x00 for null, else 0x01, the length (u32, little-endian)
    /// and the text.
    var bytes: [UInt8] = []
    var cells: [Cell]
    /// The number of cells appended so far.
    var count = 0
    /// The number of cells whose values were replaced.
    package internal(set) var lossy = 0

    package init(_ schema: TableSchema) {
        keyCount = schema.keyCount
        cells = schema.columns.map {
            Cell(type: $0.type, isNullable: $0.isNullable, isIdentifier: $0.isIdentifier)
        }
    }

    /// Whether each column has its cell.
    package var isComplete: Bool { count == cells.count }

    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
        lossy = 0
    }

    /// The first 8 bytes, signed little-endian, of the SHA-256 of the cells appended so far.
    package var rowDigest: Int64 {
        bytes.withUnsafeBytes { Int64(bitPattern: Digest.sha256(of: $0).words.0.byteSwapped) }
    }
}

/// The cells that all values have in common.
extension TableRow {
    package mutating func appendNull() {
        precondition(count < cells.count && cells[count].isNullable, "the column is not nullable")
        cells[count].isNull = true
        bytes.append(0)
        count += 1
    }

    var nextType: ColumnType {
        precondition(count < cells.count, "the row is complete")
        return cells[count].type
    }

    /// Begins a cell, whose text follows in `bytes`.
    mutating func openCell() {
        bytes.append(1)
        bytes.appendLittleEndian(UInt32(0))
        cells[count].start = bytes.count
    }

    /// Ends the cell and sets the length of its text.
    mutating func closeCell(value: Int64 = 0) {
        let (start, end) = (cells[count].start, bytes.count)
        let length = UInt32(end - start).littleEndian
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: start - 4, as: UInt32.self) }
        cells[count].isNull = false
        cells[count].end = end
        cells[count].value = value
        count += 1
    }
}
