import CMS
import EventLog
import LedgerStorage
import Primitives
import TransparencyLog

/// Verifies the anchors of a log: each time stamp at its own time, and that the log still begins with the events of each
/// checkpoint.
///
/// The log's key signs nothing here that its holder could not sign again. A checkpoint counts for its time stamp, and a
/// signature by a key that the ledger no longer has is ignored.
struct AnchorAudit {
    private let folder: AnchorFolder
    private let log: LogReader
    /// The roots to trust instead of the stored ones; nil for the stored ones.
    private let roots: [[UInt8]]?
    private let verifier: NoteVerifier?

    init(of log: LogReader, in folder: DataFolder, roots: [[UInt8]]?) {
        self.log = log
        self.folder = AnchorFolder(folder)
        self.roots = roots
        verifier = (try? CheckpointKey.load(from: folder, origin: log.origin))?.verifier
    }

    /// - Returns: the number of verified time stamps.
    /// - Throws: `log_corrupt`, naming the first anchor that is wrong; `io_error`.
    func run() throws -> UInt64 {
        var (anchors, authorities) = try folder.contents()
        authorities.roots = roots ?? authorities.roots
        var count: UInt64 = 0
        for anchor in anchors {
            do {
                try requirePrefix(anchor)
                count += try anchor.timeStamp(under: authorities) == nil ? 0 : 1
            } catch let error as any DiagnosedError where !(error is StorageError) {
                throw Self.corrupt(anchor.size, "\(error.diagnosis)")
            }
        }
        return count
    }

    private func requirePrefix(_ anchor: StoredAnchor) throws {
        let checkpoint = try anchor.checkpoint()
        if let verifier { try Self.requireNoForgery(anchor, by: verifier) }
        guard checkpoint.origin == log.origin, checkpoint.size == anchor.size else {
            throw Self.corrupt(
                anchor.size, "its checkpoint is of \(checkpoint.size) events of \(checkpoint.origin)")
        }
        let head = try log.head()
        guard head.size >= checkpoint.size else {
            throw Self.corrupt(anchor.size, "the log has only \(head.size) events")
        }
        let root = try log.root(ofFirst: checkpoint.size)
        guard root == checkpoint.root else {
            throw Self.corrupt(
                anchor.size, "the log began with other events; expected root \(checkpoint.root.hex), found \(root.hex)")
        }
    }

    private static func requireNoForgery(_ anchor: StoredAnchor, by verifier: NoteVerifier) throws(TreeError) {
        do throws(TreeError) {
            _ = try SignedNote(bytes: anchor.note).verifiedText(by: [verifier])
        } catch  where error.code == .noteKeyUnknown {
            // A ledger restored without its keys has a new one.
        }
    }

    private static func corrupt(_ size: UInt64, _ what: String) -> StorageError {
        StorageError(.logCorrupt, "anchor \(size): \(what)")
    }
}
