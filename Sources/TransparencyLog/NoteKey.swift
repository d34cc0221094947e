import Primitives

import enum Crypto.Curve25519

/// Identifies the key of a signature: a name, and the first four bytes of a hash over name, algorithm and public key
/// (C2SP signed-note).
package struct NoteKey: Sendable {
    package let name: String
    package let id: UInt32

    /// Ed25519 in C2SP's table of signature types, the only type with which this log signs.
    static let ed25519: UInt8 = 1
    /// Ed25519 cosignatures of witnesses, with a time.
    static let cosignature: UInt8 = 4

    init(name: String, id: UInt32) {
        self.name = name
        self.id = id
    }

    init(name: String, publicKey: Curve25519.Signing.PublicKey, algorithm: UInt8 = ed25519) {
        let digest = Digest.sha256(of: name.utf8 + [UInt8(ascii: "\n"), algorithm] + publicKey.rawRepresentation)
        self.init(name: name, id: UInt32(truncatingIfNeeded: digest.words.0 >> 32))
    }

    /// Whether `name` is valid in a signature line, as the name of a key and the origin of a log: not empty, no Unicode
    /// white space, no plus sign, no control character below U+0020.
    package static func isValid(name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "+" && !$0.properties.isWhitespace }
    }

    static func isSame(_ left: String, _ right: String) -> Bool {
        // String equality is canonical equivalence, but the hash covers the exact bytes.
        left.utf8.elementsEqual(right.utf8)
    }
}

extension NoteKey: Equatable {
    package static func == (left: NoteKey, right: NoteKey) -> Bool {
        left.id == right.id && isSame(left.name, right.name)
    }
}

extension NoteKey {
    private static let idDigits = 8
    /// The type byte and the 32 bytes of an Ed25519 public key or seed.
    private static let materialBytes = 33

    /// The id as eight hexadecimal digits.
    package var idText: String {
        Hex.encode(withUnsafeBytes(of: id.bigEndian, Array.init))
    }

    /// Returns `<name>+<id>+<base64(type ‖ material)>`, the common form of public and private keys.
    func text(with material: some Collection<UInt8>, algorithm: UInt8 = ed25519) -> String {
        "\(name)+\(idText)+\(Base64.encode([algorithm] + material))"
    }

    /// Reads this form. The caller compares the id with the key's own. The text may be a secret, so no error contains
    /// any part of it.
    static func parse(
        _ text: some StringProtocol, algorithm: UInt8 = ed25519
    ) throws(TreeError) -> (key: NoteKey, material: [UInt8]) {
        func malformed(_ part: String, expected: String) -> TreeError {
            TreeError(.noteKeyMalformed, "malformed note key", expected: expected, found: "an invalid \(part)")
        }
        // Base64 may contain plus signs too, so only the first two separate.
        let parts = text.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw malformed("form", expected: "<name>+<8 hexadecimal digits>+<base64>") }
        let name = String(parts[0])
        guard isValid(name: name) else {
            throw malformed("name", expected: "a nonempty name without white space")
        }
        guard let id = UInt32(parts[1], radix: 16), NoteKey(name: name, id: id).idText == parts[1] else {
            throw malformed("key id", expected: "\(idDigits) lowercase hexadecimal digits")
        }
        guard let material = Base64.decode(String(parts[2])), material.first == algorithm,
            material.count == materialBytes
        else {
            throw malformed("key", expected: "base64 of the byte 0x0\(algorithm) (Ed25519) and a key of 32 bytes")
        }
        return (NoteKey(name: name, id: id), Array(material.dropFirst()))
    }

    /// - Throws: `noteKeyMalformed` unless `stated`, the key that a text names, equals this one.
    func require(stated: NoteKey) throws(TreeError) {
        guard self == stated else {
            throw TreeError(
                .noteKeyMalformed, "the note key does not match its key id", expected: idText, found: stated.idText)
        }
    }
}
