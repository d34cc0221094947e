/// Writes the rows of a table as the bytes of a file. The caller stores the bytes.
///
/// The bytes depend only on the schema, the format and the rows, not on when the caller takes them.
package protocol TableFileWriter: Sendable {
    /// The bytes that are ready. The caller stores them in this order, and removes them.
    var output: [UInt8] { get set }

    /// Whether the file takes no more rows: the caller finishes it, and writes further rows to the next file.
    var isFull: Bool { get }

    /// Adds a complete row.
    mutating func append(_ row: TableRow)

    /// Completes the file. Nothing may be appended afterwards.
    mutating func finish()
}

extension TableFileWriter {
    package var isFull: Bool { false }
}

/// A format of export files.
package enum TableFileFormat: Hashable, Sendable {
    case csv
    case jsonLines
    case parquet(ParquetCompression)

    package var fileExtension: String {
        switch self {
        case .csv: "csv"
        case .jsonLines: "jsonl"
        case .parquet: "parquet"
        }
    }

    package func writer(for schema: TableSchema) -> any TableFileWriter {
        switch self {
        case .csv: CSVWriter(schema)
        case .jsonLines: JSONLinesWriter(schema)
        case .parquet(let compression): ParquetWriter(schema, compression: compression)
        }
    }
}
