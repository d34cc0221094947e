import Crypto
package import Primitives

/// The key under which the vault files names: `keys/vault.key`, 32 random bytes, made at the first opening. Whoever
/// has the vault and not this key can neither read a name nor test a guess.
package struct VaultKey: Sendable {
    package static let byteCount = 32

    private let key: SymmetricKey

    /// Nil when there is none.
    /// - Throws: `io_error` when others than the owner may read the file, or when it is no key.
    package static func load(from folder: DataFolder) throws(EventLogError) -> VaultKey? {
        guard let bytes = try SmallFile.read(folder.vaultKey, limit: byteCount) else { return nil }
        try SmallFile.requirePrivate(folder.vaultKey)
        guard bytes.count == byteCount else {
            throw EventLogError(
                .ioError, "\(folder.vaultKey) is no vault key", expected: "\(byteCount) bytes",
                found: "\(bytes.count)", hint: "Bring the key back from a backup.")
        }
        return VaultKey(key: SymmetricKey(data: bytes))
    }

    package static func make(in folder: DataFolder) throws(EventLogError) -> VaultKey {
        let key = SymmetricKey(size: .bits256)
        try SmallFile.write(key.withUnsafeBytes { Array($0) }, to: folder.vaultKey)
        return VaultKey(key: key)
    }

    /// HMAC-SHA-256 of a name.
    package func code(of name: [UInt8]) -> Primitives.Digest {
        var code = HMAC<SHA256>(key: key)
        code.update(data: name)
        // A code is 32 bytes, as a digest is.
        return code.finalize().withUnsafeBytes { Primitives.Digest(loadingFrom: $0) }
    }

    /// Encrypts a name, with ChaCha20-Poly1305 (RFC 8439) under a key of its own.
    /// - Parameter place: under which the sealed name opens again.
    package func seal(_ name: [UInt8], filedUnder place: [UInt8]) throws(EventLogError) -> [UInt8] {
        do {
            return Array(try ChaChaPoly.seal(name, using: sealingKey, authenticating: place).combined)
        } catch {
            throw EventLogError(.ioError, "a name cannot be sealed: \(error)")
        }
    }

    /// - Throws: `log_corrupt` for what was not sealed with this key, for this place.
    package func open(_ sealed: [UInt8], filedUnder place: [UInt8]) throws(EventLogError) -> [UInt8] {
        do {
            let box = try ChaChaPoly.SealedBox(combined: sealed)
            return Array(try ChaChaPoly.open(box, using: sealingKey, authenticating: place))
        } catch {
            throw EventLogError(
                .logCorrupt, "a name in the vault cannot be read", hint: "Restore vault/ from a backup.")
        }
    }

    private var sealingKey: SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array("subledger vault names".utf8), outputByteCount: 32)
    }
}
