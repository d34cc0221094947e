import Crypto
package import Primitives

/// Signs payloads like the App Store. With a P-256 leaf key, signatures are deterministic: the same payload gives the
/// same bytes in every run. Replays require this, since a notification's signed bytes contain nested signatures.
package struct JWSSigner: Sendable {
    package let authority: SigningAuthority
    /// Apple's header with the authority's certificates. `sign(_:header:)` takes a copy with a defect.
    package let header: JWSHeader
    private let headerBytes: [UInt8]
    private let headerSegment: [UInt8]
    private let signs: Bool

    /// - Parameter signs: false makes invalid signatures, for samples that are too large to be signed.
    package init(_ authority: SigningAuthority = .standard, signs: Bool = true) {
        self.authority = authority
        self.signs = signs
        header = JWSHeader(x5c: authority.certificates)
        headerBytes = header.serialized()
        headerSegment = Array(Base64URL.encode(headerBytes).utf8)
    }

    package func sign(_ payload: JSONValue) -> SignedJWS { sign(payload.bytes) }
    package func sign(_ payload: JSONValue, header: JWSHeader) -> SignedJWS { sign(payload.bytes, header: header) }

    package func sign(_ payload: [UInt8]) -> SignedJWS {
        sign(payload, header: headerBytes, segment: headerSegment)
    }

    /// Signs with the authority's leaf key, regardless of the header's `alg`.
    package func sign(_ payload: [UInt8], header: JWSHeader) -> SignedJWS {
        let bytes = header.serialized()
        return sign(payload, header: bytes, segment: Array(Base64URL.encode(bytes).utf8))
    }

    private func sign(_ payload: [UInt8], header: [UInt8], segment: [UInt8]) -> SignedJWS {
        var signingInput = segment
        signingInput.append(UInt8(ascii: "."))
        signingInput += Base64URL.encode(payload).utf8
        return SignedJWS(
            header: header, payload: payload, signature: signature(of: signingInput), signingInput: signingInput)
    }

    private func signature(of message: [UInt8]) -> [UInt8] {
        let digest = SHA256.hash(data: message)
        guard signs else { return Array(digest) + digest }
        switch authority.leafKey {
        case .p256(let key):
            return DeterministicSignature.sign(digest, key: key)
        case .p384(let key):
            guard let signature = try? key.signature(for: digest) else {
                preconditionFailure("signing with a valid key does not fail")
            }
            return Array(signature.rawRepresentation)
        }
    }
}
