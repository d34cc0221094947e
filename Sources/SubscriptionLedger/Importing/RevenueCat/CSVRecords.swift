/// Reads the records of a CSV file (RFC 4180) as its bytes arrive. A record may have line breaks in quoted fields.
package struct CSVRecords {
    /// A record, with the line of the file where it begins, from 1. Fields are nil where a record is malformed.
    package struct Record: Equatable, Sendable {
        package let line: Int
        package let fields: [String]?
    }

    /// The longest record. The rest of a longer one is skipped.
    private static let byteLimit = 1 << 20

    private enum Place {
        case fieldStart, unquoted, quoted, afterQuote
    }

    private let separator: UInt8
    private var place = Place.fieldStart
    private var fields: [String] = []
    private var field: [UInt8] = []
    private var size = 0
    private var isMalformed = false
    private var line = 1
    private var firstLine = 1

    /// - Parameter separator: an ASCII character.
    package init(separator: Unicode.Scalar = ",") {
        self.separator = UInt8(ascii: separator)
    }

    /// Returns the records that end in the next bytes.
    package mutating func read(_ bytes: [UInt8]) -> [Record] {
        var records: [Record] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n"), place != .quoted {
                end().map { records.append($0) }
                line += 1
                firstLine = line
                continue
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            take(byte)
        }
        return records
    }

    /// Returns the record that has no line break after it; nil when there is none.
    package mutating func finish() -> Record? {
        if place == .quoted { isMalformed = true }
        return end()
    }

    private mutating func take(_ byte: UInt8) {
        size += 1
        guard size <= Self.byteLimit else {
            isMalformed = true
            if byte == UInt8(ascii: "\"") { place = place == .quoted ? .unquoted : .quoted }
            return
        }
        switch (place, byte) {
        case (.fieldStart, UInt8(ascii: "\"")): place = .quoted
        case (.quoted, UInt8(ascii: "\"")): place = .afterQuote
        case (.quoted, _): field.append(byte)
        case (.afterQuote, UInt8(ascii: "\"")):
            field.append(byte)
            place = .quoted
        case (_, separator): endField()
        case (_, UInt8(ascii: "\r")): if place != .afterQuote { field.append(byte) }
        case (.afterQuote, _): isMalformed = true
        case (.unquoted, UInt8(ascii: "\"")): isMalformed = true
        default:
            field.append(byte)
            place = .unquoted
        }
    }

    private mutating func endField() {
        if let text = String(validating: field, as: UTF8.self) { fields.append(text) } else { isMalformed = true }
        field.removeAll(keepingCapacity: true)
        place = .fieldStart
    }

    private mutating func end() -> Record? {
        if field.last == UInt8(ascii: "\r") { field.removeLast() }
        let hasContent = isMalformed || !(fields.isEmpty && field.isEmpty && place == .fieldStart)
        endField()
        defer { (fields, size, isMalformed) = ([], 0, false) }
        return hasContent ? Record(line: firstLine, fields: isMalformed ? nil : fields) : nil
    }
}
