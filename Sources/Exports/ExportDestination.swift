import LedgerStorage
package import TableFiles

/// A place that takes exports, each with files below the name of its folder. Paths of files are relative to the place.
package protocol ExportDestination: Sendable {
    /// The format of exports for which no other is chosen.
    var format: TableFileFormat { get }

    /// Returns the export that the next one continues, where the place decides it; nil for none.
    /// - Throws: `PostgresError`, `StorageError`, `LoadFailed`.
    func newestExport() async throws -> ExportBase?

    /// Returns the address of a file: a local path or a URL.
    func address(of file: String) -> String

    /// Returns the bytes of a small file; nil if there is none.
    /// - Throws: `StorageError`, `ObjectStorageError`; also for a file of more than `limit` bytes.
    func read(_ file: String, limit: Int) async throws -> [UInt8]?

    /// Stores a small file durably, unless there is one with its name.
    /// - Returns: false if there is one.
    /// - Throws: `StorageError`, `ObjectStorageError`.
    func create(_ file: String, _ bytes: [UInt8]) async throws -> Bool

    /// Returns whether a file of an export is there with the size and the digest of the manifest.
    /// - Parameter name: the name of the export's folder.
    /// - Throws: `StorageError`, `ObjectStorageError`.
    func contains(_ file: ExportManifest.File, of name: String) async throws -> Bool

    /// Stores the files of tables durably, in place of any others with their names, and the manifest last.
    /// - Parameters:
    ///   - name: the name of the export's folder.
    ///   - write: writes the files of tables to a local folder.
    /// - Returns: the manifest.
    /// - Throws: `StorageError`, `ObjectStorageError`, `PostgresError`, `ExportGap`, `LoadFailed`; the errors of `write`.
    func store(_ name: String, write: (ExportFolder) throws -> ExportManifest) async throws -> ExportManifest
}

extension ExportDestination {
    /// Stores a file that no other run of the same export writes differently.
    func createOnce(_ file: String, _ bytes: [UInt8]) async throws {
        guard try await !create(file, bytes), try await read(file, limit: ExportBase.limit) != bytes else { return }
        // The name of the folder has a part of the plan's digest only.
        throw StorageError(
            .ioError, "\(address(of: file)) belongs to another export", expected: "the bytes of this one",
            found: "others", hint: "Export to another folder.")
    }

    func createManifest(_ manifest: ExportManifest, of name: String) async throws {
        try await createOnce("\(name)/\(ExportManifest.fileName)", manifest.bytes)
    }
}
