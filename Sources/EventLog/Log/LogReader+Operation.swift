import LMDB
import LedgerStorage

extension LogReader {
    /// Frees the reader slots of dead processes, which prevent the reuse of pages.
    package func clearStaleReaders() throws {
        let environment = try core.store().environment
        do {
            try environment.clearStaleReaders()
        } catch {
            throw StorageError(error, while: "clearing stale readers failed")
        }
    }

    /// Returns the number of unused bytes in the map. Freed pages are not included.
    /// - Throws: `busy` while the environment is being reopened after a failed commit.
    package func freeMapBytes() throws -> Int {
        let environment = try core.store().environment
        do {
            let information = try environment.information()
            return max(0, information.mapSizeBytes - (information.lastPage + 1) * information.pageSizeBytes)
        } catch {
            throw StorageError(error, while: "reading the environment information failed")
        }
    }
}
