package import TableFiles

/// The statements about one table in a database. The rows of a file are copied to a temporary table first.
package struct PostgresTable {
    /// The name of the schema of all tables.
    private static let schemaName = "subledger"

    let schema: TableSchema

    package init(schema: TableSchema) { self.schema = schema }

    private var name: String { "\(Self.schemaName).\"\(schema.name)\"" }
    private var key: [TableColumn] { Array(schema.columns.prefix(schema.keyCount)) }
    /// `op` and `restated` are about a file, so a loaded row has none of them.
    private var stored: [TableColumn] { schema.columns + [TableColumn("row_digest", .int64)] }

    package var create: String {
        let columns = stored.map { "\($0.quoted) \($0.type.postgresType)\($0.isNullable ? "" : " NOT NULL")" }
        return "CREATE TABLE \(name) (\((columns + ["PRIMARY KEY (\(key.names))"]).joined(separator: ", ")))"
    }

    /// Views of others on the table keep it from being dropped.
    var drop: String { "DROP TABLE IF EXISTS \(name)" }

    var deleteAll: String { "DELETE FROM \(name)" }

    /// The number of rows, and the sum of their digests.
    package var content: String { "SELECT count(*), coalesce(sum(row_digest), 0) FROM \(name)" }

    /// A file of rows to insert or to delete.
    package struct Staging {
        let table: PostgresTable
        let kind: ExportManifest.File.Kind

        private var name: String { "pg_temp.subledger_\(kind.rawValue)" }

        private var columns: [TableColumn] {
            switch kind {
            case .part: table.schema.ofFiles.columns
            case .deleted: TableOutput.deletedColumns(of: table.schema)
            }
        }

        package var create: String {
            "CREATE TEMPORARY TABLE subledger_\(kind.rawValue) "
                + "(\(columns.map { "\($0.quoted) \($0.type.copiedType)" }.joined(separator: ", "))) ON COMMIT DROP"
        }

        package var copy: String { "COPY \(name) FROM STDIN (FORMAT csv, HEADER true)" }

        /// Carries out the changes of the copied rows.
        package var apply: String {
            switch kind {
            case .part:
                let changed = table.stored.dropFirst(table.schema.keyCount)
                return "INSERT INTO \(table.name) (\(table.stored.names)) "
                    + "SELECT \(table.stored.map(\.value).joined(separator: ", ")) FROM \(name) "
                    + "ON CONFLICT (\(table.key.names)) DO UPDATE SET "
                    + changed.map { "\($0.quoted) = EXCLUDED.\($0.quoted)" }.joined(separator: ", ")
            case .deleted:
                return "DELETE FROM \(table.name) USING "
                    + "(SELECT \(table.key.map { "\($0.value) AS \($0.quoted)" }.joined(separator: ", ")) FROM \(name)) deleted "
                    + "WHERE "
                    + table.key.map { "\(table.name).\($0.quoted) = deleted.\($0.quoted)" }
                    .joined(separator: " AND ")
            }
        }

        var analyze: String { "ANALYZE \(name)" }

        var drop: String { "DROP TABLE \(name)" }
    }

    package func staging(_ kind: ExportManifest.File.Kind) -> Staging { Staging(table: self, kind: kind) }
}

extension TableColumn {
    /// Some names are words of SQL.
    fileprivate var quoted: String { "\"\(name)\"" }

    /// The value of a copied row in the type of the table.
    fileprivate var value: String { type == type.copied ? quoted : type.postgresValue(of: quoted) }
}

extension [TableColumn] {
    fileprivate var names: String { map(\.quoted).joined(separator: ", ") }
}

extension ColumnType {
    var postgresType: String {
        switch self {
        case .text, .hex: "text COLLATE \"C\""
        case .int64: "bigint"
        case .int32: "integer"
        case .boolean: "boolean"
        case .instant: "timestamptz(3)"
        case .date: "date"
        case .money: "numeric(18,3)"
        case .rate: "numeric(18,9)"
        case .json: "jsonb"
        }
    }

    /// The type in which values are copied: the texts of instants and dates are converted afterwards.
    fileprivate var copied: ColumnType { self == .instant || self == .date ? .text : self }
    fileprivate var copiedType: String { copied.postgresType }

    /// Returns the value of an expression that is the text of an instant or a date in CSV. PostgreSQL has no year 0000: it
    /// is the first year BC.
    func postgresValue(of text: String) -> String {
        let type = postgresType
        return "CASE WHEN left(\(text), 4) = '0000' THEN ('0001' || substr(\(text), 5) || ' BC')::\(type) "
            + "ELSE \(text)::\(type) END"
    }
}
