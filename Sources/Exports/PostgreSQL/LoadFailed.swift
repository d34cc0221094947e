package import Primitives

/// The failure of a load for the content of the export or of the database. Nothing is loaded.
package enum LoadFailed: DiagnosedError, Hashable, Sendable {
    /// A table has another version than those that this program knows.
    case versionUnknown(_ table: String, found: Int64)
    /// After the load, a table does not have the rows that the manifest counts.
    case otherContent(ExportManifest.Table, found: [Int128])
    case otherEncoding(String)
    case otherFormat(String)

    package var diagnosis: Diagnosis {
        switch self {
        case .versionUnknown(let table, let found):
            Diagnosis(
                "version_unknown", "the table \(table) of the database has another version",
                expected: "a version that this program knows", found: "\(found)",
                hint: "Use the newest program that loaded into the database.")
        case .otherContent(let table, let found):
            Diagnosis(
                "load_mismatch", "the rows of \(table.name) in the database are not those of the export",
                expected: "\(table.after.rows) rows whose digests add up to \(table.after.digestSum)",
                found: found.map { "\($0)" }.joined(separator: " and "),
                hint: "Something else changed the table. Load everything again with --full and a later --as-of.")
        case .otherEncoding(let encoding):
            Diagnosis(
                "postgres_refused", "the database has another encoding", expected: "UTF8", found: encoding,
                hint: "Create a database with ENCODING 'UTF8'.")
        case .otherFormat(let format):
            Diagnosis(
                "usage", "a database takes exports in one format", expected: "csv", found: format,
                hint: "Leave out --as.")
        }
    }
}
