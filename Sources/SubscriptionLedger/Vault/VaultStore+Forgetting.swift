import LMDB
import LedgerModel
import LedgerStorage

/// A deleted key stays readable in free pages of an LMDB file. The vault forgets customers by being copied without them,
/// row by row, into a new folder that takes its place.
extension VaultStore {
    private static func aside(_ folder: DataFolder) -> Folder { Folder(folder.vault + ".erasing") }

    /// Forgets customers in the vault of a folder. Whoever has it open keeps reading the old one.
    /// - Precondition: no other thread or process writes the vault.
    /// - Throws: `io_error`, `disk_full`, `map_full`. The old vault then stays, or the new one is in place.
    static func forget(_ customers: Set<CustomerHandle>, in folder: DataFolder, from store: VaultStore) throws {
        try removeAside(in: folder)
        let copy = aside(folder)
        try copy.create()
        do {
            try store.copy(
                to: try VaultStore(
                    directory: copy.path, mapSizeBytes: store.environment.options.mapSizeBytes, readOnly: false),
                createdUpTo: .max, without: customers)
        } catch let error as LMDBError {
            throw StorageError(error, while: "copying the vault failed")
        }
        try AtomicFile.syncFolder(of: "\(copy.path)/\(LMDB.Environment.dataFileName)")
        try copy.exchange(with: Folder(folder.vault))
    }

    /// Removes the vault that another one has replaced, or a copy that a crash interrupted.
    static func removeAside(in folder: DataFolder) throws {
        if aside(folder).exists { try aside(folder).remove() }
    }
}
