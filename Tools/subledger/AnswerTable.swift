import Primitives

/// Prints an answer as JSON or CSV for programs, or in columns for people.
enum AnswerTable {
    /// - Parameters:
    ///   - rows: the member of the answer that contains the rows.
    ///   - nested: the member of each row that contains the rows to print instead, under a line that identifies the
    ///     row.
    static func print(
        _ answer: JSONValue, rows: String, nested: String? = nil, columns: [String], format: RowFormat
    ) {
        switch format {
        case .json:
            Terminal.standardOutput.write(answer.serialized() + "\n")
            return
        case .csv:
            Terminal.standardOutput.write(CSVTable(answer.elements(of: rows), nested: nested).text)
            return
        case .table: break
        }
        var text = "as of \(cell(answer[member: "asOf"])), known at \(cell(answer[member: "knownAt"]))"
        if let signedBy = answer[member: "signedBy"] {
            text += ", signed by \(cell(signedBy)), \(cell(answer[member: "signedLater"])) signed later"
        }
        text += "\n"
        if let nested {
            for row in answer.elements(of: rows) {
                let name = ["originalTransactionId", "bundleId", "environment"].map { cell(row[member: $0]) }
                text += "\n" + name.joined(separator: "  ") + "\n"
                text += table(row.elements(of: nested), columns)
            }
        } else {
            text += table(answer.elements(of: rows), columns)
        }
        Terminal.standardOutput.write(text)
    }

    static func table(_ rows: [JSONValue], _ columns: [String]) -> String {
        var layout = TextColumns()
        return layout.text(of: [columns] + cells(of: rows, columns))
    }

    /// Returns the cells of each row.
    static func cells(of rows: [JSONValue], _ columns: [String]) -> [[String]] {
        rows.map { row in columns.map { cell(row[member: $0]) } }
    }

    /// Returns one line per member.
    static func members(of answer: JSONValue) -> String {
        guard case .object(let members) = answer else { return "" }
        var layout = TextColumns()
        return layout.text(of: members.map { [$0.key, cell($0.value)] })
    }

    private static func cell(_ value: JSONValue?) -> String {
        switch value {
        case nil, .null: "-"
        case .string(let text): text
        case .object(let members): members.map { "\($0.key)=\(cell($0.value))" }.joined(separator: " ")
        case .array(let elements): elements.map(cell).joined(separator: " ")
        case .some(let other): other.serialized()
        }
    }
}

extension JSONValue {
    subscript(member key: String) -> JSONValue? {
        guard case .object(let members) = parsed else { return nil }
        return members.first { $0.key == key }?.value
    }

    func elements(of key: String) -> [JSONValue] {
        guard case .array(let elements) = self[member: key]?.parsed else { return [] }
        return elements
    }

    /// The value itself; the value in a JSON text that was rendered before.
    var parsed: JSONValue {
        guard case .verbatim(let text) = self, let document = try? JSONDocument(parsing: text) else { return self }
        return JSONValue(document.root)
    }
}
