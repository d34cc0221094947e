import Glibc
import LedgerStorage
package import TableFiles

/// A local folder that takes exports.
package struct LocalDestination: ExportDestination {
    private let path: String

    package init(_ path: String) { self.path = path }

    package var format: TableFileFormat { .parquet(.snappy) }

    /// Returns nil: a folder may have exports that do not continue each other.
    package func newestExport() async throws -> ExportBase? { nil }

    package func address(of file: String) -> String { "\(path)/\(file)" }

    package func read(_ file: String, limit: Int) async throws -> [UInt8]? {
        try AtomicFile.read(address(of: file), limit: limit)
    }

    package func create(_ file: String, _ bytes: [UInt8]) async throws -> Bool {
        let address = address(of: file)
        guard try AtomicFile.read(address, limit: ExportBase.limit) == nil else { return false }
        try Folder(path).create()
        if let end = address.lastIndex(of: "/") { try Folder(String(address[..<end])).create() }
        try AtomicFile.write(bytes, to: address)
        return true
    }

    package func contains(_ file: ExportManifest.File, of name: String) async throws -> Bool {
        let folder = ExportFolder(path: address(of: name))
        guard folder.byteCount(of: file.path) == file.bytes else { return false }
        return try folder.digest(of: file) == file.sha256
    }

    /// The files are written where they stay.
    /// - Throws: also `locked` while another process writes the same export.
    package func store(
        _ name: String, write: (ExportFolder) throws -> ExportManifest
    ) async throws -> ExportManifest {
        let lock = try ExportLock(address(of: name))
        let manifest = try withExtendedLifetime(lock) { try write(ExportFolder(path: address(of: name))) }
        try await createManifest(manifest, of: name)
        return manifest
    }
}

/// The right to write to the folder of an export. One process has it until it ends for any reason (flock(2)).
private final class ExportLock {
    private let descriptor: Int32

    /// - Throws: `locked`; `io_error`.
    init(_ folder: String) throws(StorageError) {
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(system: "\(folder) cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw StorageError(
                .locked, "another process writes the same export", expected: "no other writer of \(folder)",
                found: "one", hint: "Wait until it ends.")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
