/// The encodings that the writer uses, with the numbers of `parquet.thrift`.
enum ParquetEncoding: Int {
    case plain = 0
    case runLength = 3
    case runLengthDictionary = 8
}

/// The description of a written column chunk.
struct ChunkMetadata {
    var valueCount = 0
    var nullCount = 0
    var dictionaryOffset: Int?
    var dataOffset = 0
    var dataPageCount = 0
    var plainSize = 0
    var storedSize = 0
    var bounds: ChunkBounds?

    var encoding: ParquetEncoding { dictionaryOffset == nil ? .plain : .runLengthDictionary }
}

/// The description of a written row group.
struct RowGroupMetadata {
    let offset: Int
    let rowCount: Int
    let chunks: [ChunkMetadata]
}

/// The metadata at the end of a file (`FileMetaData` of `parquet.thrift`).
struct ParquetFooter {
    let schema: TableSchema
    let compression: ParquetCompression
    let rowGroups: [RowGroupMetadata]

    /// Has the form `NAME version N` of `parquet.thrift`, which readers parse to recognise writers of wrong statistics.
    /// N rises when the same rows get other bytes.
    private static let createdBy = "subledger-parquet version 1"

    var bytes: [UInt8] {
        ThriftWriter.structure { writer in
            // Readers take 1 and 2 alike, and 1 is the more compatible one.
            writer.int32(1, 1)
            writer.structures(2, [nil] + schema.columns.map(Optional.some), writeSchemaElement)
            writer.int64(3, rowGroups.reduce(0) { $0 + $1.rowCount })
            writer.structures(4, rowGroups, write)
            writer.binary(6, Self.createdBy.utf8)
            // TypeDefinedOrder: without it the bounds of a chunk mean nothing.
            writer.structures(7, schema.columns) { $1.structure(1) }
        }
    }

    /// Writes a column; nil is the root of the tree of columns.
    private func writeSchemaElement(_ column: TableColumn?, to writer: inout ThriftWriter) {
        if let column { return column.writeSchemaElement(to: &writer) }
        writer.binary(4, schema.name.utf8)
        writer.int32(5, schema.columns.count)
    }

    private func write(_ group: RowGroupMetadata, to writer: inout ThriftWriter) {
        writer.structures(1, Array(zip(schema.columns, group.chunks))) { column, writer in
            // The offset of a copy of the metadata in the file: there is none.
            writer.int64(2, 0)
            writer.structure(3) { write(column.1, of: column.0, to: &$0) }
        }
        writer.int64(2, group.chunks.reduce(0) { $0 + $1.plainSize })
        writer.int64(3, group.rowCount)
        writer.structures(4, 0..<schema.keyCount) { index, writer in
            writer.int32(1, index)
            writer.boolean(2, false)
            writer.boolean(3, false)
        }
        writer.int64(5, group.offset)
        writer.int64(6, group.chunks.reduce(0) { $0 + $1.storedSize })
    }

    private func write(_ chunk: ChunkMetadata, of column: TableColumn, to writer: inout ThriftWriter) {
        writer.int32(1, column.type.parquetType.rawValue)
        // A dictionary itself is plain.
        writer.int32s(2, Set<ParquetEncoding>([.plain, .runLength, chunk.encoding]).map(\.rawValue).sorted())
        writer.strings(3, [column.name])
        writer.int32(4, compression.codec)
        writer.int64(5, chunk.valueCount)
        writer.int64(6, chunk.plainSize)
        writer.int64(7, chunk.storedSize)
        writer.int64(9, chunk.dataOffset)
        if let offset = chunk.dictionaryOffset { writer.int64(11, offset) }
        writer.structure(12) { statistics in
            statistics.int64(3, chunk.nullCount)
            guard let bounds = chunk.bounds else { return }
            statistics.binary(5, bounds.greatest)
            statistics.binary(6, bounds.least)
            statistics.boolean(7, true)
            statistics.boolean(8, true)
        }
        writer.structures(13, chunk.pageKinds) { page, writer in
            writer.int32(1, page.type)
            writer.int32(2, page.encoding.rawValue)
            writer.int32(3, page.count)
        }
    }
}

extension ChunkMetadata {
    fileprivate var pageKinds: [(type: Int, encoding: ParquetEncoding, count: Int)] {
        let data = (type: PageWriter.dataPage, encoding: encoding, count: dataPageCount)
        return dictionaryOffset == nil ? [data] : [(PageWriter.dictionaryPage, .plain, 1), data]
    }
}
