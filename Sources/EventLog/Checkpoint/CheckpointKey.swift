import Glibc
package import LedgerStorage
import Primitives
package import TransparencyLog

/// The key that signs checkpoints: `keys/checkpoint.key`, in the C2SP note signer form, created at the first opening.
package enum CheckpointKey {
    /// Returns the key; nil when there is none.
    /// - Parameter origin: the name of the key; a key with another name is refused.
    /// - Throws: `io_error` when others than the owner may access the file, or when it is not a key with that name.
    package static func load(from folder: DataFolder, origin: String) throws -> NoteSigner? {
        guard let text = try AtomicFile.read(folder.checkpointKey, limit: byteLimit) else { return nil }
        try AtomicFile.requirePrivate(folder.checkpointKey)
        let signer = try signer(in: text, path: folder.checkpointKey)
        guard signer.verifier.key.name == origin else {
            throw StorageError(
                .ioError, "the checkpoint key is for another log", expected: origin, found: signer.verifier.key.name,
                hint: "Set log.origin to the found value, or omit it if that begins with subledger.invalid/. "
                    + "If the key is wrong, store the right key at \(folder.checkpointKey).")
        }
        return signer
    }

    package static func loadOrMake(in folder: DataFolder, origin: String) throws -> NoteSigner {
        if let signer = try load(from: folder, origin: origin) { return signer }
        let signer = try NoteSigner.generate(name: origin)
        try AtomicFile.write(Array((signer.secretText + "\n").utf8), to: folder.checkpointKey)
        return signer
    }

    private static let byteLimit = 4_096

    private static func signer(in text: [UInt8], path: String) throws(StorageError) -> NoteSigner {
        do throws(TreeError) {
            return try NoteSigner(secretText: String(decoding: text, as: UTF8.self).trimmedLine)
        } catch {
            throw StorageError(
                .ioError, "\(path) is not a checkpoint key: \(error.message)", expected: error.expected,
                found: error.found, hint: "Restore the key from a backup.")
        }
    }
}

extension String {
    var trimmedLine: String {
        String(self[..<(firstIndex(of: "\n") ?? endIndex)])
    }
}
