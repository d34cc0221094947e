/// A column of an export table.
package struct TableColumn: Hashable, Sendable {
    package let name: String
    package let type: ColumnType
    package let isNullable: Bool
    /// Whether a text above 512 bytes is replaced by its digest. Key columns always do so.
    package let isIdentifier: Bool

    /// Creates a column. Decimals are nullable in any case: amounts out of their range become null.
    /// - Parameter name: lower-case letters, digits and underscores, so that no format has to quote it.
    package init(_ name: String, _ type: ColumnType, isNullable: Bool = false, isIdentifier: Bool = false) {
        precondition(!name.isEmpty && name.utf8.allSatisfy(Self.isNameCharacter), "not a column name: \(name)")
        self.name = name
        self.type = type
        self.isNullable = isNullable || type.fractionDigits != nil
        self.isIdentifier = isIdentifier
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

/// The name and the columns of an export table. Rows ascend by the first `keyCount` columns, which are never null.
package struct TableSchema: Hashable, Sendable {
    package let name: String
    package let version: Int
    package let columns: [TableColumn]
    package let keyCount: Int

    package init(name: String, version: Int, keyCount: Int, columns: [TableColumn]) {
        precondition((1...columns.count).contains(keyCount), "a table has a key")
        precondition(columns.prefix(keyCount).allSatisfy { !$0.isNullable }, "a key is never null")
        precondition(Set(columns.map(\.name)).count == columns.count, "two columns have one name")
        self.name = name
        self.version = version
        self.keyCount = keyCount
        self.columns = columns.enumerated().map { index, column in
            TableColumn(
                column.name, column.type, isNullable: column.isNullable,
                isIdentifier: column.isIdentifier || index < keyCount)
        }
    }
}
