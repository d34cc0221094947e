/// Writes structures in Thrift's compact protocol (thrift's `doc/specs/thrift-compact-protocol.md`), in which Parquet
/// stores its metadata.
struct ThriftWriter {
    private(set) var bytes: [UInt8] = []
    private var lastField = 0

    private enum WireType: UInt8 {
        case yes = 1
        case no = 2
        case int32 = 5
        case int64 = 6
        case binary = 8
        case list = 9
        case structure = 12
    }

    /// Returns the bytes of a structure.
    /// - Parameter fields: writes them in ascending order.
    static func structure(_ fields: (inout ThriftWriter) -> Void) -> [UInt8] {
        var writer = ThriftWriter()
        writer.structure(fields)
        return writer.bytes
    }

    mutating func boolean(_ field: Int, _ value: Bool) {
        header(field, value ? .yes : .no)
    }

    mutating func int32(_ field: Int, _ value: Int) {
        header(field, .int32)
        bytes.appendVarint(Int64(Int32(value)).zigzag)
    }

    mutating func int64(_ field: Int, _ value: Int) {
        header(field, .int64)
        bytes.appendVarint(Int64(value).zigzag)
    }

    mutating func binary(_ field: Int, _ value: some Collection<UInt8>) {
        header(field, .binary)
        binary(value)
    }

    /// Writes a structure as a field, by default an empty one.
    mutating func structure(_ field: Int, _ fields: (inout ThriftWriter) -> Void = { _ in }) {
        header(field, .structure)
        structure(fields)
    }

    mutating func structures<Element>(
        _ field: Int, _ elements: some Collection<Element>, _ fields: (Element, inout ThriftWriter) -> Void
    ) {
        list(field, elements.count, .structure)
        for element in elements { structure { fields(element, &$0) } }
    }

    mutating func int32s(_ field: Int, _ elements: [Int]) {
        list(field, elements.count, .int32)
        for element in elements { bytes.appendVarint(Int64(Int32(element)).zigzag) }
    }

    mutating func strings(_ field: Int, _ elements: [String]) {
        list(field, elements.count, .binary)
        for element in elements { binary(element.utf8) }
    }

    private mutating func binary(_ value: some Collection<UInt8>) {
        bytes.appendVarint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func structure(_ fields: (inout ThriftWriter) -> Void) {
        let outer = lastField
        lastField = 0
        fields(&self)
        bytes.append(0)
        lastField = outer
    }

    private mutating func list(_ field: Int, _ count: Int, _ type: WireType) {
        header(field, .list)
        if count < 15 {
            bytes.append(UInt8(count) << 4 | type.rawValue)
        } else {
            bytes.append(0xF0 | type.rawValue)
            bytes.appendVarint(UInt64(count))
        }
    }

    /// Writes the distance to the last field and the type. No structure of Parquet skips more than 14 fields.
    private mutating func header(_ field: Int, _ type: WireType) {
        let distance = field - lastField
        precondition((1...15).contains(distance), "fields ascend")
        bytes.append(UInt8(distance) << 4 | type.rawValue)
        lastField = field
    }
}
