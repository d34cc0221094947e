import EventLog
import ProjectionRuntime

extension Ledger {
    /// Frees the reader slots of processes that died. Call it every few seconds: a dead reader keeps every page freed
    /// since its snapshot.
    package func clearStaleReaders() throws {
        try log.clearStaleReaders()
        try derived.clearStaleReaders()
    }

    /// Returns the number of bytes that the log can still take, limited by the disk and by the map.
    /// - Throws: `busy` while the log is being opened again, `io_error`.
    package func freeBytes() throws -> Int {
        min(try log.freeMapBytes(), try configuration.folder.freeDiskBytes())
    }
}
