import Primitives
import Synchronization

/// The last signed checkpoint: what is published of the log, and nothing beyond it.
///
/// Two inconsistent checkpoints must never be signed. So only acknowledged heads are, the note is in `data/checkpoint`
/// before anybody gets it, and a log that is shorter than what it once signed, or whose first events are others, is
/// refused at opening.
package final class PublishedCheckpoint: Sendable {
    /// A checkpoint and the note that signs it.
    package struct Note: Sendable {
        package let checkpoint: Checkpoint
        /// The signed note as it is served.
        package let bytes: [UInt8]
    }

    /// A head that changes all the time is signed this often at most.
    package static let renewalInterval = Duration.seconds(1)

    private let log: EventLog
    private let signer: NoteSigner
    private let path: String
    private let note: Mutex<Note>
    /// When the last one was signed, nil before the first of this process; held while the next one is, so that who
    /// only reads `current` never waits for the disk.
    private let signedAt = Mutex<ContinuousClock.Instant?>(nil)

    /// - Throws: `log_corrupt` when the log does not begin with what it has published; `io_error`, `disk_full`.
    package init(of log: EventLog, in folder: DataFolder, signer: NoteSigner) throws {
        self.log = log
        self.signer = signer
        path = folder.checkpoint
        let stored = try Self.stored(in: folder, verifier: signer.verifier)
        if let stored { try log.requirePrefix(stored.checkpoint) }
        note = Mutex(try stored ?? Self.sign(try log.head(), of: log, signer, path: path))
    }

    /// What is published, as it stands: the bound of tiles.
    package var current: Note { note.withLock { $0 } }

    /// The checkpoint of the log's head, signed anew when the head has moved and a second has gone since the last
    /// signature; else what is published.
    ///
    /// - Throws: `io_error`, `disk_full` when it cannot be stored; then what is published stays.
    /// - Complexity: two syncs of the disk when it signs; call it where a thread may block.
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
        _ head: TreeHead, of log: EventLog, _ signer: NoteSigner, path: String
    ) throws -> Note {
        let checkpoint = Checkpoint(origin: log.origin, size: head.size, root: head.root)
        let note = try signer.sign(checkpoint.text).bytes
        try SmallFile.write(note, to: path)
        return Note(checkpoint: checkpoint, bytes: note)
    }

    /// What the file says was published, whoever signed it: for an audit, which has to know the size before it can
    /// trust the log to name the key. Nil when nothing ever was.
    /// - Throws: `log_corrupt` when the file holds no checkpoint.
    package static func unverified(in folder: DataFolder) throws(EventLogError) -> Checkpoint? {
        guard let bytes = try SmallFile.read(folder.checkpoint, limit: SignedNote.bytesMax) else { return nil }
        do throws(TreeError) {
            return try Checkpoint(text: SignedNote(bytes: bytes).text)
        } catch {
            throw corrupt(folder, error)
        }
    }

    /// The checkpoint a ledger has published last; nil when it never has.
    /// - Throws: `log_corrupt` when the file holds no note by `verifier`.
    package static func stored(in folder: DataFolder, verifier: NoteVerifier) throws -> Note? {
        guard let bytes = try SmallFile.read(folder.checkpoint, limit: SignedNote.bytesMax) else { return nil }
        do throws(TreeError) {
            let note = try SignedNote(bytes: bytes)
            return Note(checkpoint: try Checkpoint(note: note, verifier: verifier), bytes: bytes)
        } catch {
            throw corrupt(folder, error)
        }
    }

    private static func corrupt(_ folder: DataFolder, _ error: TreeError) -> EventLogError {
        EventLogError(
            .logCorrupt, "\(folder.checkpoint) is not what this log signed: \(error.message)",
            expected: error.expected, found: error.found, hint: "Bring the file or the key back from a backup.")
    }
}

extension EventLog {
    /// - Throws: `log_corrupt` unless the log begins with the events of the checkpoint.
    package func requirePrefix(_ checkpoint: Checkpoint) throws {
        let head = try head()
        guard head.size >= checkpoint.size else {
            throw EventLogError(
                .logCorrupt, "the log is shorter than what it has published",
                expected: "at least \(checkpoint.size) events", found: "\(head.size)",
                hint: "Restore the newest backup; what was signed cannot be taken back.")
        }
        let root = try root(ofFirst: checkpoint.size)
        guard root == checkpoint.root else {
            throw EventLogError(
                .logCorrupt, "the log does not begin with what it has published", expected: checkpoint.root.hex,
                found: root.hex, hint: "Run `subledger audit verify --deep`.")
        }
    }
}
