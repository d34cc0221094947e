package import Primitives

/// The verbatim bytes of an event's evidence, with the layout that packing requires.
package struct Evidence: Sendable {
    package let bytes: [UInt8]
    package let digest: Digest
    package let layout: Layout

    package enum Layout: Sendable {
        case opaque
        case jws(JWSLayout)
        /// JSON with JWS in it, ordered by place.
        case json([Nested])
    }

    /// A JWS whose segments were decoded from canonical base64url, with the JWS nested in its payload.
    package struct JWSLayout: Sendable {
        /// The offsets of the two dots.
        package let headerEnd: Int
        package let payloadEnd: Int
        package let payload: [UInt8]
        package let signature: [UInt8]
        /// Ordered by place in the payload. The place is that of the string between its quotes.
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

    /// - Parameter digest: the SHA-256 of `bytes`, if the verifier has computed it already.
    package init(bytes: [UInt8], digest: Digest? = nil, layout: Layout = .opaque) {
        self.bytes = bytes
        self.digest = digest ?? .sha256(of: bytes)
        self.layout = layout
        assert(self.digest == .sha256(of: bytes), "the digest does not match the evidence")
    }

    /// The empty evidence of the ledger's own events.
    package static let none = Evidence(bytes: [], digest: .zero, layout: .opaque, unchecked: ())

    private init(bytes: [UInt8], digest: Digest, layout: Layout, unchecked: Void) {
        self.bytes = bytes
        self.digest = digest
        self.layout = layout
    }
}
