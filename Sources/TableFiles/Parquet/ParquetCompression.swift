/// The compression of the pages of Parquet files.
///
/// Snappy is our own code, so that the bytes of a file do not depend on a library's version. Zstandard is left out: its
/// bytes would.
package enum ParquetCompression: Hashable, Sendable {
    case uncompressed
    case snappy

    /// The number of `CompressionCodec` in `parquet.thrift`.
    var codec: Int {
        switch self {
        case .uncompressed: 0
        case .snappy: 1
        }
    }
}
