/// A place that takes exports, each with files below the name of its folder. Paths of files are relative to the place.
package protocol ExportDestination: Sendable {
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

    /// Stores the files of tables durably, in place of any others with their names.
    /// - Parameters:
    ///   - name: the name of the export's folder.
    ///   - write: writes them to a local folder.
    /// - Throws: `StorageError`, `ObjectStorageError`; the errors of `write`.
    func store(
        _ name: String, write: (ExportFolder) throws -> [ExportManifest.Table]
    ) async throws -> [ExportManifest.Table]
}
