/// Compresses pages and writes them after their headers.
struct PageWriter {
    static let dataPage = 0
    static let dictionaryPage = 2

    /// The bytes that are written but not taken.
    var output: [UInt8] = []
    /// The offset in the file of the next byte.
    private(set) var offset = 0
    /// The chunk that is being written.
    var chunk = ChunkMetadata()

    private let compression: ParquetCompression
    private var snappy = SnappyEncoder()
    // Reused for all pages.
    private var page: [UInt8] = []
    private var compressed: [UInt8] = []

    init(_ compression: ParquetCompression) {
        self.compression = compression
    }

    mutating func append(_ bytes: [UInt8]) {
        output.append(contentsOf: bytes)
        offset += bytes.count
    }

    mutating func beginChunk(valueCount: Int, nullCount: Int) {
        chunk = ChunkMetadata(valueCount: valueCount, nullCount: nullCount)
    }

    mutating func writeDictionary(_ entries: [UInt8], count: Int) {
        chunk.dictionaryOffset = offset
        write(entries, type: Self.dictionaryPage) { header in
            header.structure(7) {
                $0.int32(1, count)
                $0.int32(2, ParquetEncoding.plain.rawValue)
            }
        }
    }

    /// Writes a data page of version 1.
    /// - Parameter body: appends the levels and the values to an empty page.
    mutating func writeData(rowCount: Int, encoding: ParquetEncoding, _ body: (inout [UInt8]) -> Void) {
        page.removeAll(keepingCapacity: true)
        body(&page)
        if chunk.dataPageCount == 0 { chunk.dataOffset = offset }
        chunk.dataPageCount += 1
        write(page, type: Self.dataPage) { header in
            header.structure(5) {
                $0.int32(1, rowCount)
                $0.int32(2, encoding.rawValue)
                $0.int32(3, ParquetEncoding.runLength.rawValue)
                $0.int32(4, ParquetEncoding.runLength.rawValue)
            }
        }
    }

    private mutating func write(_ content: [UInt8], type: Int, _ typeHeader: (inout ThriftWriter) -> Void) {
        let stored: [UInt8]
        switch compression {
        case .uncompressed: stored = content
        case .snappy:
            compressed.removeAll(keepingCapacity: true)
            content.withUnsafeBytes { snappy.compress($0, to: &compressed) }
            stored = compressed
        }
        let header = ThriftWriter.structure { header in
            header.int32(1, type)
            header.int32(2, content.count)
            header.int32(3, stored.count)
            typeHeader(&header)
        }
        append(header)
        append(stored)
        chunk.plainSize += header.count + content.count
        chunk.storedSize += header.count + stored.count
    }
}
