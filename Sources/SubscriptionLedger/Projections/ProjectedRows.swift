package import LedgerAPI
import LedgerModel
package import Primitives
import ProjectionRuntime

/// The rows of a stored projection, read one key after the other.
package final class ProjectedRows {
    package let projection: ProjectionRow
    private let stored: StoredProjection

    init(_ stored: StoredProjection, _ projection: ProjectionRow) {
        self.stored = stored
        self.projection = projection
    }

    /// Returns the JSON forms of the rows of the next key, ordered by key; nil after the last key.
    /// - Throws: `StorageError`: `log_corrupt`, `io_error`.
    package func next() throws -> [JSONValue]? {
        guard let rows = try stored.next() else { return nil }
        return rows.map { JSONValue(row: $0, columns: stored.manifest.columns) }
    }
}

extension JSONValue {
    /// Creates an object from the values of a row. A column `name.member` is a member of the object `name`.
    fileprivate init(row values: [ColumnValue?], columns: [ColumnSchema]) {
        var members: [Member] = []
        var index = 0
        while index < columns.count {
            let column = columns[index]
            index += 1
            guard column.type == .object else {
                members.append(Member(column.name, JSONValue(values[index - 1])))
                continue
            }
            let prefix = column.name + "."
            let start = index
            while index < columns.count, columns[index].name.hasPrefix(prefix) { index += 1 }
            let nested = (start..<index).map {
                Member(String(columns[$0].name.dropFirst(prefix.count)), JSONValue(values[$0]))
            }
            members.append(Member(column.name, values[start - 1] == nil ? .null : .object(nested)))
        }
        self = .object(members)
    }

    private init(_ value: ColumnValue?) {
        switch value {
        case nil: self = .null
        case .text(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .instant(let instant): self = JSONValue(instant)
        case .flag(let flag): self = .bool(flag)
        case .texts(let texts): self = .array(texts.map { .string($0) })
        case .positions(let positions): self = JSONValue(positions: positions)
        case .object: self = .object([Member]())
        }
    }
}
