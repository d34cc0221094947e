import EventLog
package import LedgerModel
import LedgerStorage
import TransparencyLog

/// Publishes the signed heads of a ledger's log.
package final class CheckpointPublisher: Sendable {
    private let published: PublishedCheckpoint
    private let cosignatures: CosignatureFolder

    /// - Throws: `log_corrupt` when the log does not begin with the published checkpoint; `io_error`, `disk_full`.
    package init(of ledger: LedgerWriter) throws {
        let folder = ledger.configuration.folder
        let signer = try CheckpointKey.loadOrMake(in: folder, origin: ledger.reader.origin)
        cosignatures = CosignatureFolder(folder)
        published = try PublishedCheckpoint(of: ledger.reader.log, in: folder, signer: signer)
    }

    /// The size of the published checkpoint, up to which tiles are served.
    package var size: Position { published.current.checkpoint.size }

    /// Returns the signed note of the log's head, at most one second old, with the cosignatures that are stored for it.
    /// - Throws: `io_error`, `disk_full` when it cannot be stored; the published note then remains.
    /// - Complexity: two disk syncs when it signs. Call it from a thread that may block.
    package func renewedNote(at now: ContinuousClock.Instant) throws -> [UInt8] {
        let note = try published.renewed(at: now)
        let signed = try SignedNote(bytes: note.bytes)
        return try cosignatures.adding(to: signed, ofSize: note.checkpoint.size).bytes
    }
}
