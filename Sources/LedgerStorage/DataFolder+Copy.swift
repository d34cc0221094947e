import Glibc

extension DataFolder {
    /// Removes the keys, the vault and the checkpoint, if present, from the folder of a copy that no process has open.
    package func removeSecrets() throws(StorageError) {
        let small = [checkpointKey, bundleKey, vaultKey, checkpoint]
        let files = [vault + "/data.mdb", vault + "/lock.mdb"] + small + small.map(AtomicFile.partial)
        for file in files {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw StorageError(system: "\(file) cannot be removed")
            }
        }
    }

    /// Moves a complete folder to its destination, durably.
    /// - Throws: `io_error`, also when a file or a non-empty folder is at `path` (rename(2)).
    package func rename(to path: String) throws(StorageError) {
        guard Glibc.rename(self.path, path) == 0 else {
            throw StorageError(system: "\(self.path) cannot be renamed to \(path)")
        }
        try AtomicFile.syncFolder(of: path)
    }

    /// Copies the named files of a folder, such as keys. Missing files are skipped.
    /// - Parameter limit: the largest number of bytes of a file.
    package static func copySmallFiles(
        named names: [String], from source: String, to destination: String, limit: Int = 64 * 1_024
    ) throws(StorageError) {
        for name in names {
            guard let bytes = try AtomicFile.read("\(source)/\(name)", limit: limit) else { continue }
            try AtomicFile.write(bytes, to: "\(destination)/\(name)")
        }
    }
}
