import CMS
import LedgerTesting
import Primitives
import Testing

/// A time stamp authority of the openssl command line, with certificates of every kind.
final class TimeStampAuthority: Sendable {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try run(["setup"])
    }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// Returns the certificate with a name as DER.
    func certificate(_ name: String) throws -> [UInt8] {
        try CertificateFile.certificates(in: File.read(path("\(name).pem")))[0]
    }

    /// Answers a request as `openssl ts -reply` does, now.
    /// - Parameter kind: a section of its configuration.
    func reply(to request: [UInt8], kind: String = "sha256") throws -> [UInt8] {
        try File.write(request, to: path("request.tsq"))
        try run(["reply", "request.tsq", "response.tsr", kind])
        return try File.read(path("response.tsr"))
    }

    /// Answers a request with any time, signer and status.
    func response(
        to request: TimeStampRequest, genTime: String = "20260301120000Z", by signer: String = "tsa", status: UInt8 = 0
    ) throws -> [UInt8] {
        // Version 1, a policy, the request's imprint, a number, the time, the request's nonce (RFC 3161 §2.4.2).
        let policy: [UInt8] = [0x06, 0x03, 0x2A, 0x03, 0x04]
        let (imprint, nonce) = (Array(request.bytes[5..<56]), Array(request.bytes[56...].dropLast(3)))
        let info = Self.element(
            0x30,
            [0x02, 0x01, 0x01] + policy + imprint + [0x02, 0x01, 0x2A] + Self.element(0x18, Array(genTime.utf8))
                + nonce)
        try File.write(info, to: path("info.der"))
        try run(["sign", "info.der", "token.der", signer])
        let token = try File.read(path("token.der"))
        return Self.element(0x30, Self.element(0x30, [0x02, 0x01, status]) + token)
    }

    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count > 127 else { return [tag, UInt8(content.count)] + content }
        return [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    /// Runs openssl and returns its output; fails the test if it fails.
    @discardableResult
    static func openssl(_ arguments: [String]) throws -> String {
        let child = try ChildProcess("/usr/bin/openssl", arguments)
        child.closeInput()
        let output = child.remainingLines().joined(separator: "\n")
        try #require(child.end() == .exited(0), "\(arguments): \(child.standardError)")
        return output
    }

    private func run(_ arguments: [String]) throws {
        let script = Python.path(of: "authority.sh", beside: #filePath)
        let child = try ChildProcess("/bin/bash", [script, folder.path] + arguments)
        child.closeInput()
        try #require(child.end() == .exited(0), "\(arguments): \(child.standardError)")
    }
}

extension [UInt8] {
    /// Returns the bytes with every occurrence of a part replaced by another one of the same length.
    func replacing(_ part: [UInt8], with other: [UInt8]) -> [UInt8] {
        var bytes = self
        for start in indices.dropLast(part.count - 1) where self[start..<start + part.count].elementsEqual(part) {
            bytes.replaceSubrange(start..<start + part.count, with: other)
        }
        return bytes
    }
}
