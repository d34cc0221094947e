import Primitives

/// Rows of an answer as CSV (RFC 4180): the names of members are the header, a nested member is `name.member`, the
/// elements of a list are joined by a space, and null is empty. The members of one nested member stand together, ordered by
/// name, so that equal sets of columns have one order.
struct CSVTable {
    private var header: [String] = []
    private var columns: [String: Int] = [:]
    private var lines: [[Int: String]] = []

    /// - Parameter nested: the member of each row that contains the innermost rows. Each has a line, with the other
    ///   members of its row before its own.
    init(_ rows: [JSONValue], nested: String? = nil) {
        for row in rows {
            guard let nested else {
                lines.append(cells(of: row))
                continue
            }
            let outer = cells(of: row, except: nested)
            for inner in row.elements(of: nested) { lines.append(outer.merging(cells(of: inner)) { $1 }) }
        }
    }

    var text: String {
        let order = order
        let rows = [order.map { header[$0] }] + lines.map { line in order.map { line[$0] ?? "" } }
        return rows.map { $0.map(Self.escaped).joined(separator: ",") + "\r\n" }.joined()
    }

    /// The columns by the first appearance of their parents, then by name.
    private var order: [Int] {
        var parents: [Substring: Int] = [:]
        let places = header.indices.map { index in
            let parts = header[index].split(separator: ".")
            guard parts.count > 1 else { return (index, "") }
            let parent = parts[0]
            let first = parents[parent] ?? index
            parents[parent] = first
            return (first, header[index])
        }
        return header.indices.sorted { places[$0] < places[$1] }
    }

    private mutating func cells(of row: JSONValue, except omitted: String? = nil) -> [Int: String] {
        var cells: [Int: String] = [:]
        add(row, "", omitted, to: &cells)
        return cells
    }

    private mutating func add(_ value: JSONValue, _ name: String, _ omitted: String?, to cells: inout [Int: String]) {
        switch value.parsed {
        case .object(let members):
            for member in members where member.key != omitted {
                add(member.value, name.isEmpty ? member.key : "\(name).\(member.key)", nil, to: &cells)
            }
        case let value:
            let column = columns[name] ?? header.count
            if column == header.count {
                columns[name] = column
                header.append(name)
            }
            cells[column] = Self.text(of: value)
        }
    }

    private static func text(of value: JSONValue) -> String {
        switch value.parsed {
        case .null: ""
        case .string(let text): text
        case .array(let elements): elements.map(text).joined(separator: " ")
        case let other: other.serialized()
        }
    }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x22, 0x2C, 0x0D, 0x0A].contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
