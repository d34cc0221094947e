import Crypto
package import Primitives

/// The key that protects the names in the vault: `keys/vault.key`, 32 random bytes, created at the first opening. The
/// vault without this key neither reveals a name nor allows a guess to be tested.
package struct VaultKey: Sendable {
    package static let byteCount = 32

    private let key: SymmetricKey
    /// The HMAC before the first byte of a name.
    private let hmac: HMAC<SHA256>

    private init(_ key: SymmetricKey) {
        self.key = key
        hmac = HMAC(key: key)
    }

    /// Returns the key; nil when there is none.
    /// - Throws: `io_error` when others than the owner may access the file, or when it is not a key.
    package static func load(from folder: DataFolder) throws(StorageError) -> VaultKey? {
        guard let bytes = try AtomicFile.read(folder.vaultKey, limit: byteCount) else { return nil }
        try AtomicFile.requirePrivate(folder.vaultKey)
        guard bytes.count == byteCount else {
            throw StorageError(
                .ioError, "\(folder.vaultKey) is not a vault key", expected: "\(byteCount) bytes",
                found: "\(bytes.count)", hint: "Restore the key from a backup.")
        }
        return VaultKey(SymmetricKey(data: bytes))
    }

    package static func make(in folder: DataFolder) throws(StorageError) -> VaultKey {
        let key = SymmetricKey(size: .bits256)
        try AtomicFile.write(key.withUnsafeBytes { Array($0) }, to: folder.vaultKey)
        return VaultKey(key)
    }

    /// Returns the HMAC-SHA-256 of a name.
    package func code(of name: [UInt8]) -> Primitives.Digest {
        var code = hmac
        code.update(data: name)
        // The code is 32 bytes long, like a digest.
        return code.finalize().withUnsafeBytes { Primitives.Digest(loadingFrom: $0) }
    }

    /// Encrypts a name with ChaCha20-Poly1305 (RFC 8439), under a key derived for this purpose.
    /// - Parameter place: the authenticated place of the name; opening the sealed name requires the same place.
    package func seal(_ name: [UInt8], boundTo place: [UInt8]) throws(StorageError) -> [UInt8] {
        do {
            return Array(try ChaChaPoly.seal(name, using: sealingKey, authenticating: place).combined)
        } catch {
            throw StorageError(.ioError, "encrypting a customer id failed: \(error)")
        }
    }

    /// - Throws: `log_corrupt` for bytes that were not sealed with this key, for this place.
    package func open(_ sealed: [UInt8], boundTo place: [UInt8]) throws(StorageError) -> [UInt8] {
        do {
            let box = try ChaChaPoly.SealedBox(combined: sealed)
            return Array(try ChaChaPoly.open(box, using: sealingKey, authenticating: place))
        } catch {
            throw StorageError(
                .logCorrupt, "decrypting a customer id in the vault failed", hint: "Restore vault/ from a backup.")
        }
    }

    private var sealingKey: SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array("subledger vault names".utf8), outputByteCount: 32)
    }
}
