package import Primitives

/// A column of a projection: its name, its type, and its value in each row.
package struct Column<Row>: Sendable {
    package let schema: ColumnSchema
    let write: @Sendable (Row, inout RowWriter) -> Void

    private init(
        _ name: String, _ type: ColumnSchema.ColumnType, _ write: @escaping @Sendable (Row, inout RowWriter) -> Void
    ) {
        schema = ColumnSchema(name: name, type: type)
        self.write = write
    }

    package static func text(_ name: String, _ value: @escaping @Sendable (Row) -> String?) -> Column {
        Column(name, .text) { $1.text(value($0)) }
    }

    package static func symbol(_ name: String, _ value: @escaping @Sendable (Row) -> Symbol?) -> Column {
        Column(name, .text) { $1.text(value($0)?.text) }
    }

    package static func integer(_ name: String, _ value: @escaping @Sendable (Row) -> Int64?) -> Column {
        Column(name, .integer) { $1.integer(value($0)) }
    }

    package static func instant(_ name: String, _ value: @escaping @Sendable (Row) -> Instant?) -> Column {
        Column(name, .instant) { $1.integer(value($0)?.milliseconds) }
    }

    package static func flag(_ name: String, _ value: @escaping @Sendable (Row) -> Bool?) -> Column {
        Column(name, .flag) { $1.flag(value($0)) }
    }

    package static func texts(_ name: String, _ value: @escaping @Sendable (Row) -> [String]) -> Column {
        Column(name, .texts) { $1.texts(value($0)) }
    }

    package static func positions(_ name: String, _ value: @escaping @Sendable (Row) -> [Position]) -> Column {
        Column(name, .positions) { $1.positions(value($0)) }
    }

    /// Returns the column `object.name` of rows of another type.
    /// - Parameter row: returns the row that has the value; nil when there is none.
    package func member<Other>(
        of object: String, _ row: @escaping @Sendable (Other) -> Row?
    ) -> Column<Other> {
        let write = write
        return Column<Other>("\(object).\(schema.name)", schema.type) { other, writer in
            if let row = row(other) { write(row, &writer) } else { writer.mark(false) }
        }
    }

    /// The presence of an object. Its members are the columns `name.member`, which directly follow.
    package static func object(_ name: String, isPresent: @escaping @Sendable (Row) -> Bool) -> Column {
        Column(name, .object) { $1.mark(isPresent($0)) }
    }
}

/// The name and the type of a column.
package struct ColumnSchema: Hashable, Sendable {
    package enum ColumnType: String, Sendable, CaseIterable {
        case text, integer, instant, flag, texts, positions, object
    }

    /// A member of an object has the object's name before a dot.
    package let name: String
    package let type: ColumnType

    package init(name: String, type: ColumnType) {
        self.name = name
        self.type = type
    }
}

/// The value of a column in a stored row.
package enum ColumnValue: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case instant(Instant)
    case flag(Bool)
    case texts([String])
    case positions([Position])
    case object
}
