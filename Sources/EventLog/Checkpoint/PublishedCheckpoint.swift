package import LedgerStorage
import Primitives
import Synchronization
package import TransparencyLog

/// The last signed checkpoint. Nothing beyond it is published.
///
/// Two inconsistent checkpoints must never be signed. Therefore only acknowledged heads are signed, and the note is
/// stored in `data/checkpoint` before it is served. Opening rejects a log that is shorter than its signed checkpoint or
/// that begins with other events.
package final class PublishedCheckpoint: Sendable {
    /// A checkpoint and its signed note.
    package struct Note: Sendable {
        package let checkpoint: Checkpoint
        /// The signed note as served.
        package let bytes: [UInt8]
    }

    /// The minimum interval between two signatures.
    package static let renewalInterval = Duration.seconds(1)

    private let log: LogReader
    private let signer: NoteSigner
    private let path: String
    private let note: Mutex<Note>
    /// The time of the last signature; nil before the first one of this process. This lock, not that of `note`, is held
    /// while signing, so that readers of `current` never wait for the disk.
    private let signedAt = Mutex<ContinuousClock.Instant?>(nil)

    /// - Throws: `log_corrupt` when the log does not begin with the published events; `io_error`, `disk_full`.
    package init(of log: LogReader, in folder: DataFolder, signer: NoteSigner) throws {
        self.log = log
        self.signer = signer
        path = folder.checkpoint
        let stored = try Self.stored(in: folder, verifier: signer.verifier)
        if let stored { try log.requirePrefix(stored.checkpoint) }
        note = Mutex(try stored ?? Self.sign(try log.head(), of: log, signer, path: path))
    }

    /// The published checkpoint. Its size bounds the tiles.
    package var current: Note { note.withLock { $0 } }

    /// Returns the published checkpoint. Signs the head of the log first, if it has moved and a second has passed since
    /// the last signature.
    ///
    /// - Throws: `io_error`, `disk_full` when the new checkpoint cannot be stored; the published one then remains.
    /// - Complexity: two disk syncs when it signs; call it on a thread that may block.
    package func renewed(at now: ContinuousClock.Instant = .now) throws -> Note {
        try signedAt.withLock { signedAt in
            let published = current
            let head = try log.head()
            guard head.size > published.checkpoint.size,
                signedAt.map({ now - $0 >= Self.renewalInterval }) ?? true
            else {
                return published
            }
            let renewed = try Self.sign(head, of: log, signer, path: path)
            signedAt = now
            note.withLock { $0 = renewed }
            return renewed
        }
    }

    private static func sign(
        _ head: TreeHead, of log: LogReader, _ signer: NoteSigner, path: String
    ) throws -> Note {
        let checkpoint = Checkpoint(origin: log.origin, size: head.size, root: head.root)
        let note = try signer.sign(checkpoint.text).bytes
        try AtomicFile.write(note, to: path)
        return Note(checkpoint: checkpoint, bytes: note)
    }

    /// Returns the published checkpoint without verifying its signature; nil when there is none. An audit needs the
    /// size before it can trust the log to name the key.
    /// - Throws: `log_corrupt` when the file contains no checkpoint.
    package static func unverified(in folder: DataFolder) throws(StorageError) -> Checkpoint? {
        guard let bytes = try AtomicFile.read(folder.checkpoint, limit: SignedNote.bytesMax) else { return nil }
        do throws(TreeError) {
            return try Checkpoint(text: SignedNote(bytes: bytes).text)
        } catch {
            throw corrupt(folder, error)
        }
    }

    /// Returns the last published checkpoint; nil when there is none.
    /// - Throws: `log_corrupt` when the file contains no note signed by the key of `verifier`.
    package static func stored(in folder: DataFolder, verifier: NoteVerifier) throws -> Note? {
        guard let bytes = try AtomicFile.read(folder.checkpoint, limit: SignedNote.bytesMax) else { return nil }
        do throws(TreeError) {
            let note = try SignedNote(bytes: bytes)
            return Note(checkpoint: try Checkpoint(note: note, verifier: verifier), bytes: bytes)
        } catch {
            throw corrupt(folder, error)
        }
    }

    private static func corrupt(_ folder: DataFolder, _ error: TreeError) -> StorageError {
        StorageError(
            .logCorrupt, "\(folder.checkpoint) is not a checkpoint signed by this log: \(error.message)",
            expected: error.expected, found: error.found, hint: "Restore the file or the key from a backup.")
    }
}

extension LogReader {
    /// - Throws: `log_corrupt` unless the log begins with the events of the checkpoint.
    package func requirePrefix(_ checkpoint: Checkpoint) throws {
        let head = try head()
        guard head.size >= checkpoint.size else {
            throw StorageError(
                .logCorrupt, "the log is shorter than its published checkpoint",
                expected: "at least \(checkpoint.size) events", found: "\(head.size)",
                hint: "Restore the newest backup. A published checkpoint cannot be withdrawn.")
        }
        let root = try root(ofFirst: checkpoint.size)
        guard root == checkpoint.root else {
            throw StorageError(
                .logCorrupt, "the log does not match its published checkpoint", expected: checkpoint.root.hex,
                found: root.hex, hint: "Run `subledger audit verify --deep`.")
        }
    }
}
