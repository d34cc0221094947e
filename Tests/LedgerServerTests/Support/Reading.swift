import HTTPTypes
import HummingbirdTesting
import NIOCore
import Primitives
import Testing

extension TestResponse {
    var bytes: [UInt8] { Array(body.readableBytesView) }
    var text: String { String(buffer: body) }

    func json() throws -> JSONView {
        try JSONDocument(parsing: bytes).root
    }

    /// The values of an NDJSON body.
    func lines() throws -> [JSONView] {
        try bytes.split(separator: UInt8(ascii: "\n")).map { try JSONDocument(parsing: Array($0)).root }
    }

    /// Expects a problem document with this code and status.
    func expectProblem(
        _ code: String, _ status: HTTPResponse.Status, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(self.status == status, "\(text)", sourceLocation: sourceLocation)
        #expect(headers[.contentType] == "application/problem+json", sourceLocation: sourceLocation)
        let problem = try json()
        #expect(problem["code"]?.string == code, "\(text)", sourceLocation: sourceLocation)
        #expect(problem["type"]?.string == "urn:subledger:problem:\(code)", sourceLocation: sourceLocation)
        #expect(problem["status"]?.integer == Int64(status.code), sourceLocation: sourceLocation)
        #expect(
            problem.members.map(\.key)
                == ["type", "title", "status", "detail", "code", "expected", "found", "hint"],
            sourceLocation: sourceLocation)
        let isToBeTriedAgain = status == .tooManyRequests || status == .serviceUnavailable
        let seconds = headers[.retryAfter].flatMap { Int($0) }
        #expect(isToBeTriedAgain == (seconds ?? 0 >= 1), sourceLocation: sourceLocation)
    }
}

extension TestClientProtocol {
    func get(_ uri: String, _ headers: HTTPFields = [:]) async throws -> TestResponse {
        try await execute(uri: uri, method: .get, headers: headers)
    }

    func post(
        _ uri: String, _ body: some Sequence<UInt8>, _ headers: HTTPFields = [.contentType: "application/json"]
    ) async throws -> TestResponse {
        try await execute(uri: uri, method: .post, headers: headers, body: ByteBuffer(bytes: body))
    }

    func put(
        _ uri: String, _ body: some Sequence<UInt8>, _ headers: HTTPFields = [.contentType: "application/json"]
    ) async throws -> TestResponse {
        try await execute(uri: uri, method: .put, headers: headers, body: ByteBuffer(bytes: body))
    }
}
