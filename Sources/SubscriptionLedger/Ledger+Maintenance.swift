import EventLog
import ProjectionRuntime

extension Ledger {
    /// Frees the reader slots of processes that died; to be called every few seconds, since a dead reader keeps every
    /// page freed since its snapshot.
    package func clearStaleReaders() throws {
        try log.clearStaleReaders()
        try derived.clearStaleReaders()
    }

    /// Bytes that the log can still take: what the disk and the map have left, whichever is less.
    /// - Throws: `busy` while the log is being opened again, `io_error`.
    package func freeBytes() throws -> Int {
        min(try log.freeMapBytes(), try configuration.folder.freeDiskBytes())
    }
}
