import LedgerStorage
package import Primitives

/// An export with its manifest.
package struct CompletedExport: Sendable {
    /// The path of the manifest in its destination.
    package let manifest: String
    /// The local path or the URL of the manifest.
    package let manifestPath: String
    /// The SHA-256 of the manifest, which names the export.
    package let digest: Digest
    package let tables: [ExportManifest.Table]
    /// Whether the destination had the complete export before.
    package let existed: Bool

    package var json: JSONValue {
        .object([
            "manifest": .string(manifestPath), "sha256": .string(digest.hex),
            "existed": .bool(existed), "tables": .array(tables.map(\.json)),
        ])
    }
}

extension CompletedExport {
    init(
        manifest: String, in destination: some ExportDestination, digest: Digest, tables: [ExportManifest.Table],
        existed: Bool
    ) {
        self.init(
            manifest: manifest, manifestPath: destination.address(of: manifest), digest: digest, tables: tables,
            existed: existed)
    }

    /// Whether every file is there as the manifest says.
    func isIntact(in destination: some ExportDestination, folder: String) async throws -> Bool {
        for file in tables.flatMap(\.files) where try await !destination.contains(file, of: folder) { return false }
        return true
    }

    /// Reads the manifest in a folder of a destination; nil without one.
    /// - Throws: `StorageError`, `ObjectStorageError`; `log_corrupt` for a file that is no manifest.
    init?(in destination: some ExportDestination, folder: String) async throws {
        let file = "\(folder)/\(ExportManifest.fileName)"
        guard let bytes = try await destination.read(file, limit: ExportBase.limit) else { return nil }
        guard let base = ExportBase(bytes, manifest: file) else {
            throw StorageError(
                .logCorrupt, "\(destination.address(of: file)) cannot be read", expected: "a manifest",
                found: "other content", hint: "Remove the folder, and export again.")
        }
        self.init(base, in: destination)
    }

    /// Creates the value of an export that the destination has.
    init(_ base: ExportBase, in destination: some ExportDestination) {
        self.init(
            manifest: base.manifest, in: destination, digest: base.digest,
            tables: base.tables.values.sorted { $0.name < $1.name }, existed: true)
    }
}
