import CMS
import FoundationEssentials
import LedgerTesting
import Primitives
import Testing

/// Requests and responses of the module, beside the openssl command line.
@Suite(.serialized) struct `Time stamps beside OpenSSL` {
    private static let authority = Result { try TimeStampAuthority() }
    private static let data = Array("the bytes that are stamped\n".utf8)
    private static let request = TimeStampRequest(imprint: .sha256(of: data), nonce: 0xFEDC_BA98_7654_3210)

    private let authority: TimeStampAuthority

    init() throws { authority = try Self.authority.get() }

    /// Returns the time stamp of a response, or the code of its refusal.
    private func verify(
        _ response: [UInt8], _ request: TimeStampRequest = request, roots: [[UInt8]]? = nil
    ) throws -> Result<TimeStamp, TimeStampError> {
        let roots = try roots ?? [authority.certificate("root")]
        return Result { () throws(TimeStampError) in
            try TimeStampResponse(parsing: response).verify(request, roots: roots, intermediates: [])
        }
    }

    private func refusal(
        _ response: [UInt8], _ request: TimeStampRequest = request, roots: [[UInt8]]? = nil
    ) throws -> TimeStampError.Code? {
        guard case .failure(let error) = try verify(response, request, roots: roots) else { return nil }
        return error.code
    }

    @Test(arguments: [0, 1, 0x7F, 0x80, 0xFF00, 0x0123_4567_89AB_CDEF, 1 << 63, UInt64.max])
    func `a request is understood`(nonce: UInt64) throws {
        let request = TimeStampRequest(imprint: .sha256(of: Self.data), nonce: nonce)
        try File.write(request.bytes, to: authority.path("\(nonce).tsq"))
        let text = try TimeStampAuthority.openssl(["ts", "-query", "-in", authority.path("\(nonce).tsq"), "-text"])
        #expect(text.contains("Hash Algorithm: sha256") && text.contains("Certificate required: yes"))
        #expect(text.contains("Policy OID: unspecified") && text.contains("Version: 1"))
        let digits = text.split(separator: "\n").first { $0.hasPrefix("Nonce: ") }?.dropFirst(7).drop {
            $0 == "0" || $0 == "x"
        }
        #expect(digits.map { String($0) } == (nonce == 0 ? "" : evenHex(nonce)), "\(text)")
        #expect(try TimeStampRequest(parsing: request.bytes) == request)
    }

    /// OpenSSL prints whole bytes; the zeros before the first digit are cut off here.
    private func evenHex(_ number: UInt64) -> String { String(number, radix: 16, uppercase: true) }

    @Test func `a request with another byte is another request or none`() throws {
        let bytes = Self.request.bytes
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << bit
                do throws(TimeStampError) {
                    #expect(try TimeStampRequest(parsing: other) != Self.request)
                } catch {
                    #expect(error.code == .requestMalformed)
                }
            }
        }
        for count in bytes.indices {
            #expect(throws: TimeStampError.self) { try TimeStampRequest(parsing: Array(bytes[..<count])) }
        }
        #expect(throws: TimeStampError.self) { try TimeStampRequest(parsing: bytes + [0]) }
    }

    @Test(arguments: ["sha256", "sha1"])
    func `a response is accepted, whichever version of the signer's identity it has`(kind: String) throws {
        let before = Date().timeIntervalSince1970 - 5
        let stamp = try verify(try authority.reply(to: Self.request.bytes, kind: kind)).get()
        let seconds = Double(stamp.genTime.milliseconds) / 1_000
        #expect(seconds > before && seconds < before + 600)
        #expect(stamp.authority == "CN=Time stamps\\, Ltd")
        let text = try TimeStampAuthority.openssl(["ts", "-reply", "-in", authority.path("response.tsr"), "-text"])
        #expect(text.contains("Serial number: 0x\(stamp.serialNumber.uppercased())"), "\(text)")
    }

    @Test(arguments: [
        ("20260301120000Z", "2026-03-01T12:00:00.000Z"), ("20260301120000.5Z", "2026-03-01T12:00:00.500Z"),
        ("20260301120000.123456Z", "2026-03-01T12:00:00.123Z"),
    ])
    func `the time has its milliseconds`(genTime: String, instant: String) throws {
        let response = try authority.response(to: Self.request, genTime: genTime)
        #expect(try verify(response).get().genTime.iso8601 == instant)
    }

    @Test func `what was not asked is refused`() throws {
        let response = try authority.response(to: Self.request)
        #expect(try refusal(response) == nil)
        let other = TimeStampRequest(imprint: .sha256(of: [1]), nonce: Self.request.nonce)
        #expect(try refusal(response, other) == .imprintMismatch)
        let later = TimeStampRequest(imprint: Self.request.imprint, nonce: 1)
        #expect(try refusal(response, later) == .nonceMismatch)
        #expect(try refusal(try authority.response(to: other)) == .imprintMismatch)
        #expect(try refusal(try authority.response(to: later)) == .nonceMismatch)
    }

    @Test func `a rejection is refused with its reason`() throws {
        let rejection = try authority.reply(to: Self.request.bytes, kind: "picky")
        guard case .failure(let error) = try verify(rejection) else {
            Issue.record("a rejection is accepted")
            return
        }
        #expect(error.code == .rejected)
        #expect(error.found == "status 2, badAlg, Message digest algorithm is not supported.")
        // grantedWithMods is a grant; a token beside any other status is malformed.
        #expect(try refusal(try authority.response(to: Self.request, status: 1)) == nil)
        #expect(try refusal(try authority.response(to: Self.request, status: 2)) == .malformed)
    }

    @Test(arguments: ["plain", "lenient", "busy", "versatile"])
    func `a signer with any other purpose is refused`(signer: String) throws {
        #expect(try refusal(try authority.response(to: Self.request, by: signer)) == .purposeInvalid)
    }

    @Test func `a signer without a path to the root is refused`() throws {
        let response = try authority.response(to: Self.request)
        #expect(try refusal(response, roots: [authority.certificate("other")]) == .untrusted)
        #expect(try refusal(response, roots: []) == .untrusted)
        #expect(try refusal(response, roots: [authority.certificate("tsa")]) == .untrusted)
        #expect(try refusal(try authority.response(to: Self.request, by: "stranger")) == .untrusted)
        let roots = [try authority.certificate("other"), try authority.certificate("root")]
        #expect(try refusal(response, roots: roots) == nil)
    }

    @Test func `a path is valid at the time stamped, not at the present`() throws {
        func refusal(at genTime: String, by signer: String) throws -> TimeStampError.Code? {
            try self.refusal(try authority.response(to: Self.request, genTime: genTime, by: signer))
        }
        #expect(try refusal(at: "20200601000000Z", by: "expired") == nil)
        #expect(try refusal(at: "20210601000000Z", by: "expired") == .untrusted)
        #expect(try refusal(at: "20191231235959Z", by: "tsa") == .untrusted)
        #expect(try refusal(at: "20200101000000Z", by: "tsa") == nil)
        #expect(try refusal(at: "20500101000000Z", by: "tsa") == .untrusted)
    }

    @Test func `a certificate that the token does not name is refused, although its key signed`() throws {
        let (named, other) = (try authority.certificate("twin-a"), try authority.certificate("twin-b"))
        try #require(named.count == other.count && named != other)
        let response = try authority.response(to: Self.request, by: "twin-a")
        #expect(try verify(response).get().authority == "CN=Twin A")
        let swapped = response.replacing(named, with: other)
        try #require(swapped != response)
        #expect(try refusal(swapped) == .signerMismatch)
    }

    @Test func `a response with another bit is refused, or says the same`() throws {
        let response = try authority.reply(to: Self.request.bytes)
        let original = try verify(response).get()
        let root = [try authority.certificate("root")]
        var random = SeededRandom()
        var codes: [String: Int] = [:]
        for index in response.indices {
            var other = response
            other[index] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            switch try verify(other, roots: root) {
            case .success(let stamp):
                codes["accepted", default: 0] += 1
                #expect(stamp == original, "byte \(index), seed \(SeededRandom.seed)")
            case .failure(let error): codes[error.code.rawValue, default: 0] += 1
            }
        }
        print("flipped bits of a response: \(codes.sorted { $0.key < $1.key }), seed \(SeededRandom.seed)")
        #expect(codes["accepted", default: 0] < response.count / 10)
    }

    @Test func `a truncated or prolonged response is refused`() throws {
        let response = try authority.reply(to: Self.request.bytes)
        for count in response.indices { #expect(try refusal(Array(response[..<count])) == .malformed) }
        #expect(try refusal(response + [0]) == .malformed)
        #expect(try refusal([UInt8](repeating: 0x30, count: TimeStampResponse.byteLimit + 1)) == .tooLarge)
        #expect(try refusal([UInt8](repeating: 0x30, count: TimeStampResponse.byteLimit)) == .malformed)
    }

    @Test func `certificates are read from any PEM`() throws {
        let files = try ["root", "tsa", "root"].map { try File.read(authority.path("\($0).pem")) }
        let pem = Array("Subject: Root\r\n".utf8) + files.joined()
        let expected = [try authority.certificate("root"), try authority.certificate("tsa")]
        #expect(try CertificateFile.certificates(in: pem) == expected)
        let windows = Array(String(decoding: pem, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
        #expect(try CertificateFile.certificates(in: windows) == expected)
        #expect(try CertificateFile.certificates(in: CertificateFile.bytes(of: expected)) == expected)
        for bad in [
            [], Array(pem.dropLast(40)), Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8),
        ] {
            #expect(throws: TimeStampError.self) { try CertificateFile.certificates(in: bad) }
        }
    }
}
