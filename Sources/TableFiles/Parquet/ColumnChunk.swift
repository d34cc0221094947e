import Primitives

/// The buffered values of a column in the current row group.
struct ColumnChunk {
    /// The size in bytes from which on a data page ends.
    private static let pageSize = 1 << 20

    /// The end of a PLAIN data page.
    private struct PageEnd {
        var row = 0
        var byte = 0
    }

    private let type: ParquetType
    private let isNullable: Bool
    /// The values that are not null in PLAIN form, except that a boolean takes a byte.
    private var plain: [UInt8] = []
    /// 1 for each row with a value, else 0, if the column is nullable.
    private var levels: [UInt8] = []
    private var rowCount = 0
    private var nullCount = 0
    private var pageEnds: [PageEnd] = []

    init(_ column: TableColumn) {
        type = column.type.parquetType
        isNullable = column.isNullable
    }

    mutating func removeAll() {
        plain.removeAll(keepingCapacity: true)
        levels.removeAll(keepingCapacity: true)
        pageEnds.removeAll(keepingCapacity: true)
        (rowCount, nullCount) = (0, 0)
    }

    /// Adds a cell of a row.
    /// - Returns: the bytes that it takes in PLAIN form.
    mutating func append(_ cell: TableRow.Cell, of bytes: UnsafeRawBufferPointer) -> Int {
        rowCount += 1
        if isNullable { levels.append(cell.isNull ? 0 : 1) }
        if cell.isNull {
            nullCount += 1
            return 0
        }
        let start = plain.count
        switch type {
        case .boolean: plain.append(UInt8(truncatingIfNeeded: cell.value))
        case .int32: plain.appendLittleEndian(Int32(truncatingIfNeeded: cell.value))
        case .int64: plain.appendLittleEndian(cell.value)
        // The length before a text in a row is that of PLAIN.
        case .byteArray: plain.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[cell.start - 4..<cell.end]))
        }
        if plain.count - (pageEnds.last?.byte ?? 0) >= Self.pageSize {
            pageEnds.append(PageEnd(row: rowCount, byte: plain.count))
        }
        return plain.count - start
    }

    /// Writes the pages of the chunk.
    func write(to pages: inout PageWriter, dictionary: inout ValueDictionary) -> ChunkMetadata {
        pages.beginChunk(valueCount: rowCount, nullCount: nullCount)
        if isShorter(with: &dictionary) { write(dictionary, to: &pages) } else { writePlain(to: &pages) }
        return pages.chunk
    }

    /// Fills the dictionary, and returns whether the distinct values and their numbers are shorter than the values.
    private func isShorter(with dictionary: inout ValueDictionary) -> Bool {
        if type == .boolean { return false }
        let isWithinLimits = plain.withUnsafeBytes {
            dictionary.fill(from: $0, of: type, count: rowCount - nullCount)
        }
        return isWithinLimits && dictionary.encodedSize < plain.count
    }

    private func write(_ dictionary: ValueDictionary, to pages: inout PageWriter) {
        pages.chunk.bounds = dictionary.entries.withUnsafeBytes { ChunkBounds(ofPlain: $0, type: type) }
        pages.writeDictionary(dictionary.entries, count: dictionary.count)
        // The numbers of 131,072 rows take less than a page.
        pages.writeData(rowCount: rowCount, encoding: .runLengthDictionary) { page in
            appendLevels(of: 0..<rowCount, to: &page)
            page.append(UInt8(dictionary.bitWidth))
            dictionary.indices.withUnsafeBufferPointer {
                HybridRuns(numbers: $0, bitWidth: dictionary.bitWidth).append(to: &page)
            }
        }
    }

    private func writePlain(to pages: inout PageWriter) {
        pages.chunk.bounds = plain.withUnsafeBytes { ChunkBounds(ofPlain: $0, type: type) }
        var start = PageEnd()
        let end = PageEnd(row: rowCount, byte: plain.count)
        for pageEnd in pageEnds + (pageEnds.last?.row == rowCount ? [] : [end]) {
            pages.writeData(rowCount: pageEnd.row - start.row, encoding: .plain) { page in
                appendLevels(of: start.row..<pageEnd.row, to: &page)
                appendPlain(start.byte..<pageEnd.byte, to: &page)
            }
            start = pageEnd
        }
    }

    private func appendPlain(_ range: Range<Int>, to page: inout [UInt8]) {
        guard type == .boolean else { return page.append(contentsOf: plain[range]) }
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            let values = plain[start..<min(start + 8, range.upperBound)]
            page.append(values.reversed().reduce(0) { $0 << 1 | $1 })
        }
    }

    /// Appends the definition levels with their length (parquet-format, README.md, "Data Pages"). Required columns have
    /// none.
    private func appendLevels(of rows: Range<Int>, to page: inout [UInt8]) {
        if !isNullable { return }
        let start = page.count
        page.appendLittleEndian(UInt32(0))
        levels[rows].withUnsafeBufferPointer { HybridRuns(numbers: $0, bitWidth: 1).append(to: &page) }
        let length = UInt32(page.count - start - 4).littleEndian
        page.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: start, as: UInt32.self) }
    }
}
