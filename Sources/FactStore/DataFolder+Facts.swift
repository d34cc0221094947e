import Glibc
import LMDB
package import LedgerStorage

/// The facts of each layout are in a folder of their own. A new version of the program fills its folder beside that of
/// an older version, which is removed when the new one is complete.
extension DataFolder {
    /// The folder with the facts of this version's layout.
    package var facts: String { facts(layout: FactDatabase.layout) }

    private func facts(layout: UInt64) -> String { "\(derived)/facts-\(layout)" }

    /// The folder in which the facts are decoded again.
    var newFacts: Folder { Folder(facts + ".erasing") }

    /// Removes all facts from a folder that no process has open. They are decoded from the log at the next opening.
    /// - Throws: `io_error`.
    package func removeFacts() throws(StorageError) {
        for folder in [newFacts, Folder(facts)] where folder.exists { try folder.remove() }
        try removeOlderFacts()
    }

    /// The folders that older layouts may use. The first layouts had no folder of their own.
    private var olderFacts: [String] { (1..<FactDatabase.layout).map(facts(layout:)) + [derived] }

    /// Creates the folder of this version's facts, durably.
    /// - Throws: `io_error`, `disk_full`.
    func createFacts() throws(StorageError) {
        guard mkdir(facts, 0o700) == 0 || errno == EEXIST else {
            throw StorageError(system: "the folder \(facts) cannot be created")
        }
        try AtomicFile.syncFolder(of: facts)
    }

    /// Removes the facts of older layouts. Continues a removal that was interrupted.
    /// - Throws: `io_error`.
    func removeOlderFacts() throws(StorageError) {
        for folder in olderFacts {
            try Self.removeEnvironment("\(folder)/new")
            try Self.removeEnvironment(folder)
        }
    }

    /// Removes the files of an environment, and their folder unless it has other contents.
    private static func removeEnvironment(_ folder: String) throws(StorageError) {
        for name in [LMDB.Environment.dataFileName, "lock.mdb"] {
            guard unlink("\(folder)/\(name)") == 0 || errno == ENOENT else {
                throw StorageError(system: "\(folder)/\(name) cannot be removed")
            }
        }
        // A folder that stays, such as derived/ itself, is harmless.
        _ = rmdir(folder)
    }
}
