import Crypto
package import LedgerModel
package import LedgerStorage
import Primitives

/// An open projection. Its rows stay readable after it is replaced or dropped.
package final class StoredProjection {
    package let manifest: ProjectionManifest
    private let reader: RecordFileReader
    /// The hash of the records read.
    private var hash = SHA256()

    init(_ manifest: ProjectionManifest, _ reader: RecordFileReader) {
        self.manifest = manifest
        self.reader = reader
    }

    /// Returns the values of the rows of the next key, in the order of the manifest's columns; nil after the last key.
    /// - Throws: `log_corrupt`, at the end also when the rows are not those of the manifest; `io_error`.
    package func next() throws(StorageError) -> [[ColumnValue?]]? {
        guard let record = try nextRecord() else { return nil }
        guard let rows = StoredEntry(record.body)?.values(manifest.columns) else { throw damaged }
        return rows
    }

    /// Returns the next record; nil after the last one.
    /// - Throws: the errors of `next()`.
    func nextRecord() throws(StorageError) -> StoredRecord? {
        guard let record = try reader.readNext() else {
            guard Digest(hash.finalize()) == manifest.content.sha256 else { throw damaged }
            return nil
        }
        record.stored.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return record
    }

    var damaged: StorageError {
        StorageError(
            .logCorrupt, "the rows of the projection \(manifest.projection) are damaged",
            expected: "SHA-256 \(manifest.content.sha256)",
            hint: "Run `subledger project rebuild`.")
    }
}
