import HTTPTypes
import Hummingbird
import LedgerAPI
import NIOCore
import Primitives

extension Response {
    private static let jsonHeaders: HTTPFields = [.contentType: "application/json"]

    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: jsonHeaders, body: ResponseBody(byteBuffer: ByteBuffer(json: value)))
    }

    /// - Parameter size: the log size of the answer. The position before the first event is -1.
    static func json(_ value: JSONValue, size: UInt64, status: HTTPResponse.Status = .ok) -> Response {
        var response = json(value, status: status)
        response.headers[.subledgerPosition] = "\(Int64(clamping: size) - 1)"
        return response
    }

    static func json(_ answer: any LedgerAnswer) -> Response {
        json(answer.json, size: answer.knownAt)
    }

    static func bytes(_ bytes: [UInt8], headers: HTTPFields) -> Response {
        Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    init(_ problem: Problem) {
        var headers = problem.headers
        headers[.contentType] = "application/problem+json"
        if let seconds = problem.retryAfter { headers[.retryAfter] = String(seconds) }
        self.init(
            status: problem.status, headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(json: problem.json)))
    }
}

extension ByteBuffer {
    fileprivate init(json: JSONValue) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        json.write(to: &bytes, canonical: false)
        self.init(bytes: bytes)
    }
}

extension ByteBuffer {
    /// A line of NDJSON.
    init(line json: JSONValue) {
        var bytes: [UInt8] = []
        json.write(to: &bytes, canonical: false)
        bytes.append(UInt8(ascii: "\n"))
        self.init(bytes: bytes)
    }
}
