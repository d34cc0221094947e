/// The physical types of Parquet that tables use, with the numbers of `parquet.thrift`.
enum ParquetType: Int {
    case boolean = 0
    case int32 = 1
    case int64 = 2
    case byteArray = 6

    /// Returns the size of a value in PLAIN form (parquet-format, Encodings.md), or in the buffer of a chunk for booleans.
    func plainSize(in values: UnsafeRawBufferPointer, at offset: Int) -> Int {
        switch self {
        case .boolean: 1
        case .int32: 4
        case .int64: 8
        case .byteArray:
            4 + Int(UInt32(littleEndian: values.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
    }
}

extension ColumnType {
    var parquetType: ParquetType {
        switch self {
        case .boolean: .boolean
        case .int32, .date: .int32
        case .int64, .instant, .money, .rate: .int64
        case .text, .json, .hex: .byteArray
        }
    }
}

extension TableColumn {
    /// Writes the fields of a `SchemaElement`: the logical type, and the converted type that older readers use
    /// (parquet-format, LogicalTypes.md).
    func writeSchemaElement(to writer: inout ThriftWriter) {
        writer.int32(1, type.parquetType.rawValue)
        writer.int32(3, isNullable ? 1 : 0)
        writer.binary(4, name.utf8)
        if let convertedType { writer.int32(6, convertedType) }
        if let scale = type.fractionDigits {
            writer.int32(7, scale)
            writer.int32(8, Self.decimalPrecision)
        }
        if hasLogicalType { writer.structure(10, writeLogicalType) }
    }

    private static let decimalPrecision = 18

    private var convertedType: Int? {
        switch type {
        case .text, .hex: 0
        case .money, .rate: 5
        case .date: 6
        case .instant: 9
        case .json: 19
        case .int64, .int32, .boolean: nil
        }
    }

    private var hasLogicalType: Bool { convertedType != nil }

    private func writeLogicalType(to writer: inout ThriftWriter) {
        switch type {
        case .text, .hex: writer.structure(1)
        case .money, .rate:
            writer.structure(5) {
                $0.int32(1, type.fractionDigits ?? 0)
                $0.int32(2, Self.decimalPrecision)
            }
        case .date: writer.structure(6)
        case .instant:
            writer.structure(8) {
                $0.boolean(1, true)
                $0.structure(2) { $0.structure(1) }
            }
        case .json: writer.structure(12)
        case .int64, .int32, .boolean: break
        }
    }
}
