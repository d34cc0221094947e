import Primitives
import StateTables
import TableFiles

/// The frames that answer a fold.
///
/// The body of a row: `table u8 ‖ keyLength u32 ‖ key ‖ text`, where the order of keys by bytes is that of rows, and the
/// text is the line of the file. The body of a sum: `table u8 ‖ keyLength u32 ‖ key ‖ numbers i64 …`. The body of a tally
/// is an RFC 8785 object.
final class FoldOutput {
    /// The number of bytes that wait to be written.
    private static let bufferSize = 1 << 18

    private let tables: [Table]
    private let write: ([UInt8]) throws -> Void
    private var frames = FrameWriter()
    private var stored: [UInt8] = []

    init(_ inputs: FoldInputs, _ write: @escaping ([UInt8]) throws -> Void) {
        tables = inputs.tables.map { Table($0, inputs.format) }
        self.write = write
    }

    /// The lines of a table.
    private final class Table {
        let schema: TableSchema
        /// The bytes of a file before its first row.
        let header: [UInt8]
        private var writer: any TableFileWriter
        private var row: TableRow
        private(set) var tally = FrameTally()

        init(_ table: StateTable, _ format: TableFileFormat) {
            schema = table.schema
            let schema = table.schema.ofFiles
            row = TableRow(schema)
            writer = format.writer(for: schema)
            header = writer.output
            writer.output = []
        }

        /// Returns the line of a row in stored form.
        func line(_ stored: [UInt8]) -> [UInt8] {
            stored.withUnsafeBytes { row.decode($0) }
            tally.add(row.appendTail(.insert, isRestated: false))
            writer.append(row)
            defer { writer.output.removeAll(keepingCapacity: true) }
            return writer.output
        }
    }

    func add(_ row: TableRow, of number: Int) throws {
        stored.removeAll(keepingCapacity: true)
        row.encode(into: &stored)
        let line = tables[number].line(stored)
        frames.append(.row) { bytes in
            bytes.append(UInt8(number))
            var key: [UInt8] = []
            row.encodeKey(into: &key)
            bytes.append(counted: key)
            bytes.append(contentsOf: line)
        }
        try drain(from: Self.bufferSize)
    }

    func add(_ part: SumPart, of number: Int) throws {
        frames.append(.sum) { bytes in
            bytes.append(UInt8(number))
            bytes.append(counted: part.key)
            for number in part.numbers { bytes.appendLittleEndian(number) }
        }
        try drain(from: Self.bufferSize)
    }

    /// Writes the tally of each table, and the last frame.
    func finish(lossy: [Int]) throws {
        for (number, table) in tables.enumerated() {
            let members = JSONValue.object([
                "table": JSONValue(number), "name": .string(table.schema.name),
                "schemaVersion": JSONValue(table.schema.version),
                "key": .array(table.schema.columns.prefix(table.schema.keyCount).map { .string($0.name) }),
                "header": .string(String(decoding: table.header, as: UTF8.self)),
                "rows": .integer(table.tally.count), "digestSum": .string("\(table.tally.digestSum)"),
                "lossy": JSONValue(lossy[number]),
            ])
            frames.append(.tally) { $0.append(contentsOf: members.canonical()) }
        }
        frames.finish()
        try drain(from: 0)
    }

    private func drain(from size: Int) throws {
        guard frames.bytes.count >= size else { return }
        try write(frames.take())
    }
}
