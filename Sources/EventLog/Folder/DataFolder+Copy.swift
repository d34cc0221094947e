import Glibc

extension DataFolder {
    /// Removes the keys and the vault, if there are any, from the folder of a copy that nobody has open.
    package func removeSecrets() throws(EventLogError) {
        let small = [checkpointKey, vaultKey, checkpoint]
        let files = [vault + "/data.mdb", vault + "/lock.mdb"] + small + small.map(SmallFile.partial)
        for file in files {
            guard unlink(file) == 0 || errno == ENOENT else {
                throw EventLogError(system: "\(file) cannot be removed")
            }
        }
    }

    /// Moves a finished folder to its place, durably.
    /// - Throws: `io_error`, also when there is something at `path`: rename(2) replaces no folder that holds anything.
    package func rename(to path: String) throws(EventLogError) {
        guard Glibc.rename(self.path, path) == 0 else {
            throw EventLogError(system: "\(self.path) cannot be renamed to \(path)")
        }
        try SmallFile.syncFolder(of: path)
    }

    /// Copies the files of a folder that holds small ones only, such as keys.
    package static func copySmallFiles(
        named names: [String], from source: String, to destination: String
    ) throws(EventLogError) {
        for name in names {
            guard let bytes = try SmallFile.read("\(source)/\(name)", limit: 64 * 1_024) else { continue }
            try SmallFile.write(bytes, to: "\(destination)/\(name)")
        }
    }
}
