import LMDB
package import LedgerStorage

extension FactIndex {
    /// Stores the facts of some events of a log in an empty folder, where readers find them at their positions.
    /// - Parameter events: ascending; the last is the last that readers know.
    /// - Throws: `StorageError`.
    package static func store(_ events: [IndexedEvent], in folder: DataFolder, mapSizeBytes: Int) throws {
        try folder.createFacts()
        do {
            try FactDatabase(directory: folder.facts, mapSizeBytes: mapSizeBytes, readOnly: false).add(events)
        } catch let error as LMDBError {
            throw StorageError(error, while: "writing facts failed")
        }
    }
}
