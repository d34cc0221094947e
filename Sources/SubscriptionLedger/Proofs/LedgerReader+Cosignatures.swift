import EventLog
package import LedgerModel
import LedgerStorage
package import Primitives
package import TransparencyLog

/// A cosignature that was verified.
package struct Cosignature: Sendable {
    package let witness: String
    package let size: Position
    package let at: Instant

    package var json: JSONValue {
        .object([
            "witness": .string(witness), "size": .integer(Int64(clamping: size)), "cosignedAt": .string(at.iso8601),
        ])
    }
}

/// Cosignatures of witnesses: whoever knows a witness need not trust the log to show everybody the same events.
///
/// Only files in `data/cosignatures` are written, so this works beside the writer of the ledger.
extension LedgerReader {
    /// Verifies a cosigned checkpoint and keeps the cosignatures of the given witnesses.
    /// - Throws: `ProofError`: `logRewritten`, `witnessUnknown`; `TreeError`; `StorageError`.
    package func addCosignatures(_ bytes: [UInt8], of witnesses: [WitnessVerifier]) throws -> [Cosignature] {
        let note = try SignedNote(bytes: bytes)
        let checkpoint = try Checkpoint(note: note, verifier: checkpointVerifier())
        try requirePrefix(checkpoint)
        var found: [Cosignature] = []
        var lines: [NoteSignature] = []
        for witness in witnesses {
            guard let at = try witness.cosignedAt(note) else { continue }
            found.append(Cosignature(witness: witness.key.name, size: checkpoint.size, at: at))
            lines += note.signatures.filter { $0.key == witness.key }.prefix(1)
        }
        guard !found.isEmpty else {
            throw ProofError(
                .witnessUnknown, "no given witness cosigned the checkpoint",
                expected: witnesses.map { "\($0.key.name)+\($0.key.idText)" }.joined(separator: " or "),
                found: note.signatures.map { "\($0.key.name)+\($0.key.idText)" }.joined(separator: ", "))
        }
        let folder = CosignatureFolder(configuration.folder)
        let lock = try folder.lock()
        defer { withExtendedLifetime(lock) {} }
        let head = TreeHead(size: checkpoint.size, root: checkpoint.root)
        // The log's own line comes first, as it signs it now. A new line of a witness replaces an older one.
        let signed = try signedCheckpoint(of: head).adding(lines)
        try folder.store(try folder.adding(to: signed, ofSize: head.size), ofSize: head.size)
        return found
    }

    /// Returns a signed note over a durable head, with the cosignatures that are stored for it.
    func checkpointNote(of head: TreeHead) throws -> SignedNote {
        try CosignatureFolder(configuration.folder).adding(to: signedCheckpoint(of: head), ofSize: head.size)
    }

    /// Returns a signed note over the current head, with the cosignatures that are stored for it.
    package func checkpointNote() throws -> SignedNote { try checkpointNote(of: log.head()) }

    /// Returns the note of the largest cosigned checkpoint; nil when there is none.
    package func newestCosignedNote() throws -> SignedNote? {
        guard let size = try CosignatureFolder(configuration.folder).sizes().last else { return nil }
        return try checkpointNote(of: log.head(ofFirst: size))
    }
}
