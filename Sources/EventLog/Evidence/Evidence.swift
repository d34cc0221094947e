package import Primitives

/// The verbatim bytes an event rests on, with what packing needs to know of their parts.
package struct Evidence: Sendable {
    package let bytes: [UInt8]
    package let digest: Digest
    package let layout: Layout

    package enum Layout: Sendable {
        case opaque
        case jws(JWSLayout)
    }

    /// A JWS whose segments were decoded from canonical base64url, and the JWS that stand in its payload.
    package struct JWSLayout: Sendable {
        /// Where the two dots stand.
        package let headerEnd: Int
        package let payloadEnd: Int
        package let payload: [UInt8]
        package let signature: [UInt8]
        /// In order of their place in the payload, which is that of the string between its quotes.
        package let nested: [Nested]

        package init(headerEnd: Int, payloadEnd: Int, payload: [UInt8], signature: [UInt8], nested: [Nested] = []) {
            self.headerEnd = headerEnd
            self.payloadEnd = payloadEnd
            self.payload = payload
            self.signature = signature
            self.nested = nested
        }
    }

    package struct Nested: Sendable {
        package let range: Range<Int>
        package let layout: JWSLayout

        package init(range: Range<Int>, layout: JWSLayout) {
            self.range = range
            self.layout = layout
        }
    }

    /// - Parameter digest: SHA-256 of `bytes`, which the verifier has already; computed when not given.
    package init(bytes: [UInt8], digest: Digest? = nil, layout: Layout = .opaque) {
        self.bytes = bytes
        self.digest = digest ?? .sha256(of: bytes)
        self.layout = layout
        assert(self.digest == .sha256(of: bytes), "the digest of evidence is that of its bytes")
    }

    /// For own events, which rest on nothing but themselves.
    package static let none = Evidence(bytes: [], digest: .zero, layout: .opaque, unchecked: ())

    private init(bytes: [UInt8], digest: Digest, layout: Layout, unchecked: Void) {
        self.bytes = bytes
        self.digest = digest
        self.layout = layout
    }
}
