package import LedgerModel
package import LedgerStorage
import Primitives

/// An open projection. Its rows stay readable after it is replaced or dropped.
package final class StoredProjection {
    package let manifest: ProjectionManifest
    private let reader: RecordFileReader

    init(_ manifest: ProjectionManifest, _ reader: RecordFileReader) {
        self.manifest = manifest
        self.reader = reader
    }

    /// Returns the values of the rows of the next key, in the order of the manifest's columns; nil after the last key.
    /// - Throws: `log_corrupt`, `io_error`.
    package func next() throws(StorageError) -> [[ColumnValue?]]? {
        guard let record = try reader.readNext() else { return nil }
        guard let rows = StoredEntry(record.body)?.values(manifest.columns) else { throw damaged }
        return rows
    }

    /// Returns the next record; nil after the last one.
    func nextRecord() throws(StorageError) -> StoredRecord? { try reader.readNext() }

    var damaged: StorageError {
        StorageError(
            .logCorrupt, "a row of the projection \(manifest.projection) cannot be read",
            hint: "Run `subledger project rebuild`.")
    }
}
