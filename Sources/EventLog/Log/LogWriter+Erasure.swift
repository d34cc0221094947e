import LedgerStorage
package import Primitives

/// Erasing evidence: the log is copied without it, and the copy takes the log's place. Records, leaf hashes, the tree and
/// all positions stay. Free pages of the old file, which still have the bytes, disappear with it.
extension LogWriter {
    /// Stops accepting events, which are then `busy`, and waits until the accepted ones are committed.
    /// - Throws: `busy` when the writer is paused already or the log is closing.
    package func pause() async throws {
        guard writer.queue.pause() else {
            throw StorageError(.busy, "evidence is being erased", hint: "Try again.")
        }
        do {
            _ = try await request([], isOfPause: true)
        } catch {
            resume()
            throw error
        }
    }

    /// Accepts events again.
    package func resume() { writer.queue.resume() }

    /// Appends events while the writer is paused.
    /// - Throws: the errors of `append`.
    package func appendPaused(_ events: [PreparedEvent]) async throws -> [AppendResult] {
        try await request(events, isOfPause: true)
    }

    /// Replaces evidence by the places of its residue, in a copy of the log that takes the log's place.
    ///
    /// Readers continue with the old log until they end. A crash leaves the old log or the new one, and possibly the
    /// folder of the other, which the next call removes.
    /// - Precondition: the writer is paused, or nothing was appended yet.
    /// - Parameter progress: called with the number of events copied and the total.
    /// - Throws: `log_corrupt` when the copy has another root, `io_error`, `disk_full`.
    package func erase(_ erased: [UInt64: ResiduePlace], progress: (UInt64, UInt64) throws -> Void) throws {
        try reader.replaceLog(in: directory, without: erased, progress: progress)
        try core.openReplacement()
        try LogReader.removeReplacedLog(in: directory)
    }
}

extension LogReader {
    private static func aside(_ directory: String) -> Folder { Folder(directory + ".erasing") }

    /// Puts a copy of the log in its place, without some evidence. This reader continues with the old log.
    /// - Precondition: no process writes the log.
    /// - Throws: the errors of `LogWriter.erase`.
    package func replaceLog(
        in directory: String, without erased: [UInt64: ResiduePlace], progress: (UInt64, UInt64) throws -> Void
    ) throws {
        try Self.removeReplacedLog(in: directory)
        let copy = Self.aside(directory)
        try copy.create()
        try LogBackup(of: self, without: erased).copy(to: copy.path, progress: progress)
        try copy.exchange(with: Folder(directory))
    }

    /// Removes the log that a copy has replaced, or a copy that a crash interrupted.
    package static func removeReplacedLog(in directory: String) throws {
        if aside(directory).exists { try aside(directory).remove() }
    }

    /// Returns the place of the residue of erased evidence; nil for other evidence.
    package func residuePlace(at position: UInt64) throws -> ResiduePlace? {
        let store = try core.store()
        return try reading { try store.residuePlace($0, at: position) }
    }
}
