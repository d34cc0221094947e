import LMDB

extension EventLog {
    /// What became of the appends of this process.
    package var statistics: AppendStatistics { core.statistics }

    /// Frees the reader slots of processes that died, which else would keep pages from being used again.
    package func clearStaleReaders() throws {
        let environment = try core.store().environment
        do {
            try environment.clearStaleReaders()
        } catch {
            throw EventLogError(error, while: "stale readers were not cleared")
        }
    }

    /// How many bytes the log can still grow by before its map is full. Pages that were freed come on top.
    /// - Throws: `busy` while the environment is being opened again after a failed commit.
    package func freeMapBytes() throws -> Int {
        let environment = try core.store().environment
        do {
            let information = try environment.information()
            return max(0, information.mapSizeBytes - (information.lastPage + 1) * information.pageSizeBytes)
        } catch {
            throw EventLogError(error, while: "the environment was not examined")
        }
    }

    /// The head whenever it has moved, for who writes the log; of several moves a slow reader gets the last.
    package func heads() -> AsyncStream<TreeHead> {
        core.observers.heads()
    }
}
