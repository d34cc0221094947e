import Primitives

/// Appends the stored form of rows: `present u64 ‖ values`, little-endian. `present` has a bit for each column; absent
/// values take no space. A text and a list have their length (u32) first; a flag takes one byte; an object none.
///
/// Texts are stored, not the numbers of symbols, which depend on the order in which texts arrived.
struct RowWriter {
    private(set) var bytes: [UInt8]
    private var present: UInt64 = 0
    private var column: UInt64 = 0

    init(appendingTo bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    /// Appends a row.
    mutating func row<Row>(_ row: Row, _ columns: [Column<Row>]) {
        let start = bytes.count
        (present, column) = (0, 0)
        bytes.appendLittleEndian(present)
        for column in columns { column.write(row, &self) }
        bytes.replaceLittleEndian(at: start, with: present)
    }

    mutating func mark(_ isPresent: Bool) {
        precondition(column < 64)
        if isPresent { present |= 1 << column }
        column += 1
    }

    mutating func text(_ value: String?) {
        mark(value != nil)
        if let value { append(value) }
    }

    mutating func integer(_ value: Int64?) {
        mark(value != nil)
        if let value { bytes.appendLittleEndian(value) }
    }

    mutating func flag(_ value: Bool?) {
        mark(value != nil)
        if let value { bytes.append(value ? 1 : 0) }
    }

    mutating func texts(_ values: [String]) {
        mark(true)
        bytes.appendLittleEndian(UInt32(values.count))
        for value in values { append(value) }
    }

    mutating func positions(_ values: [Position]) {
        mark(true)
        bytes.appendLittleEndian(UInt32(values.count))
        for value in values { bytes.appendLittleEndian(value) }
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            bytes.appendLittleEndian(UInt32(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func replaceLittleEndian(at offset: Int, with value: UInt64) {
        for index in 0..<8 { self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
    }
}
