import LedgerStorage
package import PostgreSQL
import Primitives
package import TableFiles

/// A database that takes exports: an export is a load, whose rows replace those of the load before.
package struct PostgresDestination: ExportDestination {
    private let address: PostgresAddress

    package init(_ address: PostgresAddress) { self.address = address }

    package var format: TableFileFormat { .csv }

    package func address(of file: String) -> String { file.isEmpty ? address.shown : "\(address.shown)#\(file)" }

    package func newestExport() async throws -> ExportBase? {
        guard let newest = try PostgresLoad(connection: PostgresConnection(address)).newest() else { return nil }
        guard let base = ExportBase(newest.manifest, manifest: "\(newest.name)/\(ExportManifest.fileName)") else {
            let schema = (try? JSONDocument(parsing: newest.manifest))?.root["schema"]?.integer
            throw LoadFailed.versionUnknown("load", found: schema ?? 0)
        }
        return base
    }

    /// Returns the manifest of a load. There are no other files.
    package func read(_ file: String, limit: Int) async throws -> [UInt8]? {
        let parts = file.split(separator: "/")
        guard parts.count == 2, parts[1] == ExportManifest.fileName else { return nil }
        return try PostgresLoad(connection: PostgresConnection(address)).newest(where: "name = $1", [String(parts[0])])?
            .manifest
    }

    /// Stores nothing: the manifest has the coordinates too.
    package func create(_ file: String, _ bytes: [UInt8]) async throws -> Bool { true }

    /// Returns true: a database has all rows of a manifest, or not the manifest.
    package func contains(_ file: ExportManifest.File, of name: String) async throws -> Bool { true }

    /// The rows are written to a temporary folder first: a load is one transaction, which waits for no computation.
    /// - Throws: `ExportGap`, `LoadFailed`, `PostgresError`, `StorageError`.
    package func store(
        _ name: String, write: (ExportFolder) throws -> ExportManifest
    ) async throws -> ExportManifest {
        let temporary = try Folder.temporary()
        defer { try? temporary.remove() }
        let folder = ExportFolder(path: temporary.path)
        let manifest = try write(folder)
        guard manifest.plan.format == format.fileExtension else { throw LoadFailed.otherFormat(manifest.plan.format) }
        let connection = try PostgresConnection(address)
        let cancellation = connection.cancellation
        do {
            _ = try await withTaskCancellationHandler {
                try PostgresLoad(connection: connection).load(manifest, named: name, from: folder)
            } onCancel: {
                cancellation.cancel()
            }
        } catch {
            try WorkLimit.check()
            throw error
        }
        return manifest
    }
}
