import Glibc

/// The key that signs checkpoints: `keys/checkpoint.key`, in the C2SP note signer form, made at the first opening.
package enum CheckpointKey {
    /// - Parameter origin: the name a new key gets; a key of another name is refused.
    /// - Throws: `io_error` when others than the owner may read the file, or when it is no key of that name.
    package static func load(from folder: DataFolder, origin: String) throws -> NoteSigner? {
        guard let text = try SmallFile.read(folder.checkpointKey, limit: byteLimit) else { return nil }
        try requirePrivate(folder.checkpointKey)
        let signer = try NoteSigner(
            secretText: String(decoding: text, as: UTF8.self).trimmedLine)
        guard signer.verifier.key.name == origin else {
            throw EventLogError(
                .ioError, "the checkpoint key is for another log", expected: origin, found: signer.verifier.key.name,
                hint: "Put the right key at \(folder.checkpointKey), or set log.origin.")
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

    private static func requirePrivate(_ path: String) throws(EventLogError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw EventLogError(system: "\(path) cannot be examined") }
        guard status.st_mode & 0o077 == 0 else {
            throw EventLogError(
                .ioError, "\(path) can be read by others", expected: "mode 0600",
                found: "mode 0\(String(status.st_mode & 0o777, radix: 8))", hint: "Run `chmod 600 \(path)`.")
        }
    }
}

extension String {
    var trimmedLine: String {
        String(self[..<(firstIndex(of: "\n") ?? endIndex)])
    }
}
