import Glibc
import LedgerModel
package import LedgerStorage
package import Primitives

/// The stored projections of a ledger, in `projections/NAME/DIGEST/`, where DIGEST is that of the rules.
///
/// A projection is a manifest and the file of rows that it names. A new manifest replaces the old one by a rename, so a
/// reader sees the old rows or the new ones.
package struct ProjectionStore: Sendable {
    let folder: String

    private static let manifestName = "manifest.json"
    private static let manifestLimit = 1 << 20

    package init(_ folder: DataFolder) {
        self.folder = folder.projections
    }

    /// Returns the manifests of all projections, ordered by name, log size and digest, and the errors of those that
    /// cannot be read.
    /// - Throws: `io_error`.
    package func manifests() throws(StorageError) -> (readable: [ProjectionManifest], unreadable: [StorageError]) {
        var readable: [ProjectionManifest] = []
        var unreadable: [StorageError] = []
        for name in try names() {
            for digest in try digests(of: name) {
                do throws(StorageError) {
                    if let manifest = try manifest(name, digest) { readable.append(manifest) }
                } catch {
                    unreadable.append(error)
                }
            }
        }
        readable.sort {
            ($0.projection, $0.knownAt, $0.rulesDigest.hex) < ($1.projection, $1.knownAt, $1.rulesDigest.hex)
        }
        return (readable, unreadable)
    }

    /// Returns the names of the projections that have folders.
    private func names() throws(StorageError) -> [String] {
        try Folder(folder).names().filter { $0 != Self.buildingName }
    }

    /// Returns the digests, in hexadecimal, of the rules under which a projection has a folder.
    private func digests(of name: String) throws(StorageError) -> [String] {
        try Folder("\(folder)/\(name)").names().filter { Digest(hex: $0) != nil }
    }

    /// Returns the manifest of a projection under rules; nil when none is stored.
    /// - Throws: `log_corrupt`, `io_error`.
    package func manifest(_ name: String, _ rules: Digest) throws(StorageError) -> ProjectionManifest? {
        try manifest(name, rules.hex)
    }

    private func manifest(_ name: String, _ digest: String) throws(StorageError) -> ProjectionManifest? {
        let path = "\(folder)/\(name)/\(digest)/\(Self.manifestName)"
        guard let bytes = try AtomicFile.read(path, limit: Self.manifestLimit) else { return nil }
        // A manifest that was copied from elsewhere names rows that are not here.
        guard let manifest = ProjectionManifest(json: bytes), manifest.projection == name,
            manifest.rulesDigest.hex == digest
        else {
            throw StorageError(
                .logCorrupt, "\(path) cannot be read",
                hint: "Run `subledger project rebuild \(name)` with these rules, or `subledger project drop \(digest)`."
            )
        }
        return manifest
    }

    /// Opens the rows of a projection. A projection that is replaced meanwhile can be read to its end.
    /// - Returns: nil when none is stored.
    /// - Throws: `log_corrupt`, `io_error`.
    package func open(_ name: String, _ rules: Digest) throws(StorageError) -> StoredProjection? {
        while let manifest = try manifest(name, rules) {
            let path = path(of: manifest)
            let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            if descriptor >= 0 { return StoredProjection(manifest, RecordFileReader(descriptor, path: path)) }
            guard errno == ENOENT else { throw StorageError(system: "\(path) cannot be opened") }
            // The projection was replaced after its manifest was read. If the manifest is unchanged, its rows are missing.
            guard try self.manifest(name, rules) != manifest else {
                throw StorageError(.logCorrupt, "\(path) is missing", hint: "Run `subledger project rebuild`.")
            }
        }
        return nil
    }

    private func folder(of manifest: ProjectionManifest) -> String {
        "\(folder)/\(manifest.projection)/\(manifest.rulesDigest.hex)"
    }

    private func path(of manifest: ProjectionManifest) -> String { "\(folder(of: manifest))/\(manifest.fileName)" }
}

extension ProjectionStore {
    static let buildingName = "building"

    /// Removes the files of killed builds, and excludes builds while the caller keeps the lock.
    /// - Throws: `locked` while a build runs, `io_error`, `disk_full`.
    package func excludeBuilds() throws -> FolderLock { try beginBuilding() }

    /// Removes a projection under all rules. It can be rebuilt.
    /// - Precondition: the caller excludes builds.
    /// - Throws: `io_error`.
    package func remove(_ name: String) throws {
        let stored = Folder("\(folder)/\(name)")
        if stored.exists { try stored.remove() }
    }

    var buildingFolder: String { "\(folder)/\(Self.buildingName)" }

    /// Runs `body` with the exclusive right to build projections. Removes the files that it leaves.
    /// - Throws: the errors of `body`; `locked`, `io_error`, `disk_full`.
    func building<Result>(_ body: () throws -> Result) throws -> Result {
        let lock = try beginBuilding()
        defer {
            // Files that cannot be removed now are removed by the next build.
            try? Folder(buildingFolder).removeFiles()
            withExtendedLifetime(lock) {}
        }
        return try body()
    }

    /// Locks the folder for one build, and removes the remains of a killed one.
    /// - Throws: `locked`, `io_error`, `disk_full`.
    private func beginBuilding() throws(StorageError) -> FolderLock {
        try Folder(folder).create()
        let lock = try FolderLock(
            file: "\(folder)/LOCK", refusal: "another process is building or dropping projections",
            hint: "Wait until it ends.")
        try Folder(buildingFolder).create()
        try Folder(buildingFolder).removeFiles()
        try removeOrphans()
        return lock
    }

    /// Removes the rows that no manifest names: those of a build that was killed before it wrote its manifest, or after
    /// it wrote it. The folder of a manifest that cannot be read stays as it is.
    private func removeOrphans() throws(StorageError) {
        for name in try names() {
            for digest in try digests(of: name) {
                let target = Folder("\(folder)/\(name)/\(digest)")
                do throws(StorageError) {
                    let kept = try manifest(name, digest).map { [$0.fileName, Self.manifestName] } ?? []
                    try target.removeFiles(except: Set(kept))
                } catch  where error.code == .logCorrupt {
                    continue
                }
            }
        }
    }

    /// Replaces the projection of the same name and rules by synced rows.
    /// - Throws: `io_error`, `disk_full`; the old projection is then still stored.
    func install(_ manifest: ProjectionManifest, rows: String) throws(StorageError) {
        let target = folder(of: manifest)
        try Folder("\(folder)/\(manifest.projection)").create()
        try Folder(target).create()
        guard rename(rows, path(of: manifest)) == 0 else {
            throw StorageError(system: "\(rows) cannot be moved to \(target)")
        }
        try AtomicFile.syncFolder(of: path(of: manifest))
        try AtomicFile.write(Array(manifest.json.serialized().utf8), to: "\(target)/\(Self.manifestName)")
        // The rows of the manifest before.
        try Folder(target).removeFiles(except: [manifest.fileName, Self.manifestName])
    }

    /// Removes every projection under these rules.
    /// - Parameter digest: the digest in hexadecimal.
    /// - Returns: the names of the removed projections.
    /// - Throws: `locked`, `io_error`.
    package func drop(_ digest: String) throws -> [String] {
        guard Folder(folder).exists else { return [] }
        return try building { try remove(digest) }
    }

    private func remove(_ digest: String) throws(StorageError) -> [String] {
        var dropped: [String] = []
        for name in try names() {
            let target = "\(folder)/\(name)/\(digest)"
            guard Folder(target).exists else { continue }
            // Without its manifest, a projection does not exist.
            unlink("\(target)/\(Self.manifestName)")
            try Folder(target).remove()
            dropped.append(name)
        }
        return dropped
    }

    /// Returns the digests, in hexadecimal, that have stored projections or remains of them.
    package func digests() throws(StorageError) -> Set<String> {
        var found: Set<String> = []
        for name in try names() { found.formUnion(try digests(of: name)) }
        return found
    }
}
