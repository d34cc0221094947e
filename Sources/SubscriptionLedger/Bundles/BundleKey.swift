import EventLog
import LedgerStorage
import Primitives
package import TransparencyLog

/// The key that signs bundles: `keys/bundle.key`, in the C2SP note signer form. The key of the log signs checkpoints only.
enum BundleKey {
    private static let byteLimit = 4_096

    static func name(of origin: String) -> String { origin + "/bundle" }

    /// Returns the key, which is created when it is missing.
    /// - Throws: `io_error` when others than the owner may access the file, or when it is another key; `locked`.
    static func loadOrMake(in folder: DataFolder, origin: String) throws -> NoteSigner {
        let lock = try FolderLock(
            file: folder.bundleKey + ".lock", refusal: "another process is reading the bundle key", hint: "Try again.")
        defer { withExtendedLifetime(lock) {} }
        if let signer = try load(from: folder, origin: origin) { return signer }
        let signer = try NoteSigner.generate(name: name(of: origin))
        try AtomicFile.write(Array((signer.secretText + "\n").utf8), to: folder.bundleKey)
        return signer
    }

    private static func load(from folder: DataFolder, origin: String) throws -> NoteSigner? {
        let path = folder.bundleKey
        guard let text = try AtomicFile.read(path, limit: byteLimit) else { return nil }
        try AtomicFile.requirePrivate(path)
        let line = text.prefix { $0 != UInt8(ascii: "\n") }
        guard let signer = try? NoteSigner(secretText: String(decoding: line, as: UTF8.self)),
            signer.verifier.key.name == name(of: origin)
        else {
            throw StorageError(
                .ioError, "\(path) is not the bundle key of this ledger", expected: name(of: origin), found: "another",
                hint: "Restore the key from a backup.")
        }
        return signer
    }
}

extension LedgerReader {
    /// Returns the public half of the key that signs bundles. Creates the key when it is missing.
    package func bundleVerifier() throws -> NoteVerifier { try bundleSigner().verifier }

    func bundleSigner() throws -> NoteSigner { try BundleKey.loadOrMake(in: configuration.folder, origin: log.origin) }
}
