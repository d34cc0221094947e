import LedgerStorage

/// A local folder that takes exports.
package struct LocalDestination: ExportDestination {
    private let path: String

    package init(_ path: String) { self.path = path }

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

    /// The files are written where they stay.
    package func store(
        _ name: String, write: (ExportFolder) throws -> [ExportManifest.Table]
    ) async throws -> [ExportManifest.Table] {
        try write(ExportFolder(path: address(of: name)))
    }
}
