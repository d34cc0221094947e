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
        let named = zip(columns, values).map { NamedValue(name: $0.name, type: $0.type, value: $1) }
        self = .object(Self.members(named[...]))
    }

    private typealias NamedValue = (name: String, type: ColumnSchema.ColumnType, value: ColumnValue?)

    private static func members(_ values: ArraySlice<NamedValue>) -> [Member] {
        var members: [Member] = []
        var rest = values
        while let (name, type, value) = rest.popFirst() {
            guard type == .object else {
                members.append(Member(name, JSONValue(value)))
                continue
            }
            let nested = rest.prefix { $0.name.hasPrefix(name + ".") }
            rest = rest[nested.endIndex...]
            let named = nested.map {
                NamedValue(name: String($0.name.dropFirst(name.count + 1)), type: $0.type, value: $0.value)
            }
            members.append(Member(name, value == nil ? .null : .object(Self.members(named[...]))))
        }
        return members
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
