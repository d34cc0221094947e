import Primitives

/// Writes an Apache Parquet file (parquet-format 2): a flat schema, row groups of column chunks, data pages of version 1.
///
/// Holds at most one row group in memory, besides the output that the caller has not taken.
package struct ParquetWriter: TableFileWriter {
    static let maximumRowsPerGroup = 131_072
    static let maximumBytesPerGroup = 32 << 20
    static let maximumGroupsPerFile = 8

    private static let magic: [UInt8] = Array("PAR1".utf8)

    private let schema: TableSchema
    private let compression: ParquetCompression
    private var chunks: [ColumnChunk]
    private var rowCount = 0
    private var byteCount = 0
    private var rowGroups: [RowGroupMetadata] = []
    private var pages: PageWriter
    private var dictionary = ValueDictionary()
    private var isFinished = false

    package init(_ schema: TableSchema, compression: ParquetCompression = .snappy) {
        self.schema = schema
        self.compression = compression
        chunks = schema.columns.map { ColumnChunk($0) }
        pages = PageWriter(compression)
        pages.append(Self.magic)
    }

    package var output: [UInt8] {
        get { pages.output }
        _modify { yield &pages.output }
    }

    package var isFull: Bool { rowGroups.count == Self.maximumGroupsPerFile }

    package mutating func append(_ row: TableRow) {
        precondition(row.isComplete && row.cells.count == chunks.count, "the row is incomplete")
        precondition(!isFull && !isFinished, "the file is complete")
        row.bytes.withUnsafeBytes { bytes in
            for index in chunks.indices { byteCount += chunks[index].append(row.cells[index], of: bytes) }
        }
        rowCount += 1
        if rowCount == Self.maximumRowsPerGroup || byteCount >= Self.maximumBytesPerGroup { writeRowGroup() }
    }

    package mutating func finish() {
        precondition(!isFinished, "the file is complete")
        isFinished = true
        if rowCount > 0 { writeRowGroup() }
        let footer = ParquetFooter(schema: schema, compression: compression, rowGroups: rowGroups).bytes
        pages.append(footer)
        var length: [UInt8] = []
        length.appendLittleEndian(UInt32(footer.count))
        pages.append(length + Self.magic)
    }

    private mutating func writeRowGroup() {
        let offset = pages.offset
        var written: [ChunkMetadata] = []
        for index in chunks.indices {
            written.append(chunks[index].write(to: &pages, dictionary: &dictionary))
            chunks[index].removeAll()
        }
        rowGroups.append(RowGroupMetadata(offset: offset, rowCount: rowCount, chunks: written))
        (rowCount, byteCount) = (0, 0)
    }
}
