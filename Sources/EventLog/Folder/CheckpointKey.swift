import Glibc

/// The key that signs checkpoints: `keys/checkpoint.key`, in the C2SP note signer form, made at the first opening.
package enum CheckpointKey {
    /// - Parameter origin: the name a new key gets; a key of another name is refused.
    /// - Throws: `io_error` when others than the owner may read the file, or when it is no key of that name.
    package static func load(from folder: DataFolder, origin: String) throws -> NoteSigner? {
        guard let text = try SmallFile.read(folder.checkpointKey, limit: byteLimit) else { return nil }
        try SmallFile.requirePrivate(folder.checkpointKey)
        let signer = try signer(in: text, path: folder.checkpointKey)
        guard signer.verifier.key.name == origin else {
            throw EventLogError(
                .ioError, "the checkpoint key is for another log", expected: origin, found: signer.verifier.key.name,
                hint: "Set log.origin to what was found, or leave it out where that begins with subledger.invalid/. "
                    + "If this is not its key, put the right one at \(folder.checkpointKey).")
        }
        return signer
    }

    package static func loadOrMake(in folder: DataFolder, origin: String) throws -> NoteSigner {
        if let signer = try load(from: folder, origin: origin) { return signer }
        let signer = try NoteSigner.generate(name: origin)
        try SmallFile.write(Array((signer.secretText + "\n").utf8), to: folder.checkpointKey)
        return signer
    }

    private static let byteLimit = 4_096

    private static func signer(in text: [UInt8], path: String) throws(EventLogError) -> NoteSigner {
        do throws(TreeError) {
            return try NoteSigner(secretText: String(decoding: text, as: UTF8.self).trimmedLine)
        } catch {
            throw EventLogError(
                .ioError, "\(path) is no checkpoint key: \(error.message)", expected: error.expected,
                found: error.found, hint: "Bring the key back from a backup.")
        }
    }
}

extension String {
    var trimmedLine: String {
        String(self[..<(firstIndex(of: "\n") ?? endIndex)])
    }
}
