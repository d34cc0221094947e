import AppStoreModel
import AppStoreSimulation
import Crypto
import Primitives
import SwiftASN1
import Testing
import X509

@Suite("JWS signer")
struct JWSSignerTests {
    let signer = JWSSigner()
    let payload = JSONValue.object([
        "bundleId": .string("com.example.app"), "signedDate": .integer(1_760_000_000_000),
    ])

    var leaf: Certificate {
        get throws { try Certificate(derEncoded: SigningAuthority.standard.leafCertificate) }
    }

    /// The three segments, decoded.
    func segments(_ compact: [UInt8]) throws -> [[UInt8]] {
        try String(decoding: compact, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
            .map { try #require(Base64URL.decode(String($0))) }
    }

    @Test func `a JWS is three segments that verify under the leaf`() throws {
        let jws = signer.sign(payload)
        let segments = try segments(jws.compact)
        #expect(segments.count == 3)
        #expect(segments[1] == Array(#"{"bundleId":"com.example.app","signedDate":1760000000000}"#.utf8))
        #expect(segments[2].count == 64)
        let header = try JSONDocument(parsing: segments[0]).root
        #expect(header.members.map(\.key) == ["alg", "x5c"])
        #expect(header["alg"]?.string == "ES256")
        let x5c = try #require(header["x5c"]?.elements).map { try #require($0.string.flatMap { Base64.decode($0) }) }
        #expect(x5c == SigningAuthority.standard.certificates)
        #expect(try SigningAuthorityTests.verifies(jws, under: leaf))
    }

    @Test func `the same payload gives the same bytes, another another`() {
        #expect(JWSSigner().sign(payload).compact == signer.sign(payload).compact)
        #expect(signer.sign(Array("{}".utf8)).signature != signer.sign(Array("{ }".utf8)).signature)
    }

    @Test func `a header can claim another algorithm, or none`() throws {
        for alg in ["RS256", "none"] {
            var header = signer.header
            header.alg = alg
            let jws = signer.sign(payload, header: header)
            #expect(try JSONDocument(parsing: jws.header).root["alg"]?.string == alg)
            #expect(try SigningAuthorityTests.verifies(jws, under: leaf))
        }
        #expect(signer.sign(payload).with(signature: []).text.hasSuffix("."))
    }

    @Test func `a header can have more fields, and fewer or more certificates`() throws {
        var header = signer.header
        header.extraFields = [.init("kid", .string("A"))]
        header.x5c?.removeLast(2)
        let one = try JSONDocument(parsing: signer.sign(payload, header: header).header).root
        #expect(one.members.map(\.key) == ["alg", "x5c", "kid"])
        #expect(one["x5c"]?.elements?.count == 1)
        header.x5c = signer.authority.certificates + [signer.authority.rootCertificate]
        #expect(
            try JSONDocument(parsing: signer.sign(payload, header: header).header).root["x5c"]?.elements?.count == 4)
        header.x5c = nil
        #expect(try JSONDocument(parsing: signer.sign(payload, header: header).header).root["x5c"] == nil)
    }

    @Test func `a forged signature differs and does not verify`() throws {
        let jws = signer.sign(payload)
        #expect(jws.forged.signingInput == jws.signingInput)
        #expect(try !SigningAuthorityTests.verifies(jws.forged, under: leaf))
    }

    @Test func `the twin of a signature differs in S and verifies`() throws {
        let jws = signer.sign(payload)
        let twin = jws.twin
        #expect(twin.signature != jws.signature)
        #expect(twin.signature[..<32] == jws.signature[..<32])
        #expect(twin.twin.signature == jws.signature)
        #expect(try SigningAuthorityTests.verifies(twin, under: leaf))
    }

    @Test func `spare bits change one character that a strict decoder refuses`() throws {
        for number in 0..<64 {
            let jws = signer.sign(.object(["number": .integer(Int64(number))]))
            let spelled = jws.withSpareBits
            #expect(spelled.count == jws.compact.count)
            #expect(spelled.dropLast() == jws.compact.dropLast())
            #expect(spelled.last != jws.compact.last)
            let segment = String(decoding: spelled.suffix(86), as: UTF8.self)
            #expect(Base64URL.decode(segment) == nil)
            // Padded with zero bits to 66 bytes, of which the first 64 are the signature.
            let lenient = try #require(Base64URL.decode(segment + "AA"))
            #expect(lenient.prefix(64).elementsEqual(jws.signature))
        }
    }

    @Test func `a payload can be had as verified`() throws {
        let jws = signer.sign(payload)
        #expect(try jws.verified(Transaction.init).payload.bundleId == "com.example.app")
        #expect(jws.digest == Digest(SHA256.hash(data: jws.signingInput)))
    }
}
