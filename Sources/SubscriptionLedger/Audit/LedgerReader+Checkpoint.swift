import EventLog
package import LedgerModel
import LedgerStorage
package import TransparencyLog

extension LedgerReader {
    /// Returns a signed note over the current head, which is durable.
    package func signedCheckpoint() throws -> SignedNote { try signedCheckpoint(of: try log.head()) }

    /// Returns a signed note over a durable head.
    func signedCheckpoint(of head: TreeHead) throws -> SignedNote {
        try signer().sign(Checkpoint(origin: log.origin, size: head.size, root: head.root).text)
    }

    /// Returns the bytes of a signed note over the first events; nil in a copy of the ledger without the key.
    /// - Precondition: `size` is not above the size of the log.
    package func signedCheckpoint(ofFirst size: Position) throws -> [UInt8]? {
        guard try CheckpointKey.load(from: configuration.folder, origin: log.origin) != nil else { return nil }
        return try signedCheckpoint(of: TreeHead(size: size, root: log.root(ofFirst: size))).bytes
    }

    /// Returns the public half of the key that signs checkpoints.
    package func checkpointVerifier() throws -> NoteVerifier {
        try signer().verifier
    }

    private func signer() throws -> NoteSigner {
        let folder = configuration.folder
        guard let signer = try CheckpointKey.load(from: folder, origin: log.origin) else {
            throw StorageError(
                .ioError, "the ledger has no checkpoint key", expected: folder.checkpointKey, found: "no such file",
                hint: "Run `subledger audit key init`, or restore the key from a backup.")
        }
        return signer
    }
}
