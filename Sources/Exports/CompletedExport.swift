import LedgerStorage
package import Primitives

/// An export with its manifest.
package struct CompletedExport: Sendable {
    package let manifestPath: String
    /// The SHA-256 of the manifest, which names the export.
    package let digest: Digest
    package let tables: [ExportManifest.Table]

    package var json: JSONValue {
        .object([
            "manifest": .string(manifestPath), "sha256": .string(digest.hex),
            "tables": .array(tables.map(\.json)),
        ])
    }
}

extension CompletedExport {
    /// Reads the manifest in a folder; nil without one.
    /// - Throws: `io_error`; `log_corrupt` for a file that is no manifest.
    init?(in folder: ExportFolder) throws {
        guard let bytes = try AtomicFile.read(folder.manifestPath, limit: ExportBase.limit) else { return nil }
        guard let base = ExportBase(bytes) else {
            throw StorageError(
                .logCorrupt, "\(folder.manifestPath) cannot be read", expected: "a manifest", found: "other content",
                hint: "Remove the folder, and export again.")
        }
        self.init(
            manifestPath: folder.manifestPath, digest: base.digest,
            tables: base.tables.values.sorted { $0.name < $1.name })
    }
}
