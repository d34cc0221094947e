import EventLog
package import LedgerModel
import LedgerStorage
import Primitives
package import TransparencyLog

/// One of the two states of the log that a consistency proof joins: a size, or a checkpoint that somebody has kept.
package enum KeptCheckpoint: Sendable {
    case size(Position)
    /// The bytes of a signed note.
    case note([UInt8])
}

extension LedgerReader {
    /// Returns the proof that an event is in the log, with a signed checkpoint.
    /// - Parameter size: the size of the checkpoint; nil for that of the log.
    /// - Throws: `ProofError`: `positionUnknown`, `sizeInvalid`; `StorageError`.
    /// - Complexity: O(log n).
    package func inclusionProof(of position: Position, inFirst size: Position? = nil) throws -> LogProof {
        let head = try log.head(ofFirst: size)
        guard position < head.size else {
            throw ProofError(
                .positionUnknown, "no event at position \(position)", expected: "a position below \(head.size)",
                found: "\(position)")
        }
        return try inclusionProof(of: position, in: head, note: checkpointNote(of: head).bytes)
    }

    func inclusionProof(of position: Position, in head: TreeHead, note: [UInt8]) throws -> LogProof {
        let path = try log.inclusionProof(of: position, inFirst: head.size) ?? []
        return LogProof(index: position, path: path, note: note)
    }

    /// Returns the proof that the log at one size begins with its events at another.
    ///
    /// A kept checkpoint must be signed by this log and have the root that the log has at its size.
    /// - Throws: `ProofError`: `logRewritten`, `sizeInvalid`; the errors of `Checkpoint`; `StorageError`.
    package func consistencyProof(from old: KeptCheckpoint, to new: KeptCheckpoint) throws -> ConsistencyProof {
        let (old, new) = (try requireHead(of: old), try requireHead(of: new))
        guard old.size <= new.size else {
            throw ProofError(
                .sizeInvalid, "the checkpoints are in the wrong order", expected: "at most \(new.size)",
                found: "\(old.size)")
        }
        return try consistencyProof(from: old.size, to: new.size)
    }

    func consistencyProof(from old: Position, to new: Position) throws -> ConsistencyProof {
        ConsistencyProof(old: old, new: new, path: try log.consistencyProof(from: old, to: new) ?? [])
    }

    private func requireHead(of kept: KeptCheckpoint) throws -> TreeHead {
        switch kept {
        case .size(let size): return try log.head(ofFirst: size)
        case .note(let bytes):
            let checkpoint = try Checkpoint(note: SignedNote(bytes: bytes), verifier: checkpointVerifier())
            try requirePrefix(checkpoint)
            return TreeHead(size: checkpoint.size, root: checkpoint.root)
        }
    }

    /// - Throws: `ProofError`: `logRewritten`.
    func requirePrefix(_ checkpoint: Checkpoint) throws {
        let size = try log.size()
        guard checkpoint.size <= size else {
            throw ProofError(
                .logRewritten, "the log is shorter than a checkpoint that it signed",
                expected: "at least \(checkpoint.size) events", found: "\(size)", hint: Self.rewrittenHint)
        }
        let root = try log.root(ofFirst: checkpoint.size)
        guard root == checkpoint.root else {
            throw ProofError(
                .logRewritten, "the log does not begin with the events of a checkpoint that it signed",
                expected: checkpoint.root.hex, found: root.hex, hint: Self.rewrittenHint)
        }
    }

    private static let rewrittenHint =
        "Keep the checkpoint: it proves that events were removed or changed. A backup may still have them."
}

extension LogReader {
    /// Returns the head over the first events.
    /// - Parameter size: nil for all.
    /// - Throws: `ProofError`: `sizeInvalid`.
    func head(ofFirst size: Position?) throws -> TreeHead {
        let head = try head()
        guard let size, size != head.size else { return head }
        guard size < head.size else {
            throw ProofError(
                .sizeInvalid, "the size is beyond the log", expected: "at most \(head.size)", found: "\(size)")
        }
        return TreeHead(size: size, root: try root(ofFirst: size))
    }
}
