import AppStoreVerification
import HTTPTypes
import Hummingbird
import NIOCore
import Primitives

extension RouteRequest {
    /// Returns the decoded parameter of the path.
    /// - Throws: `parameter_invalid`.
    func pathParameter(_ name: String) throws(Problem) -> String {
        let raw = parameters[name[...]] ?? ""
        guard let text = PercentEncoding.decode(raw), !text.isEmpty else {
            throw .parameter(name, expected: "percent-encoded UTF-8 (RFC 3986)", found: String(raw))
        }
        return text
    }

    /// Returns the position in the path.
    /// - Throws: `parameter_invalid`.
    func positionParameter() throws(Problem) -> UInt64 {
        let text = try pathParameter("position")
        guard let position = UInt64(text), String(position) == text, position <= UInt64(Int64.max) else {
            throw .parameter("position", expected: "a position in the log", found: text)
        }
        return position
    }

    /// Returns the body, which must be JSON of at most `limit` bytes. A body without a Content-Type is read as JSON.
    /// - Throws: 415 `media_type_unsupported`, 413 `payload_too_large`, 400 with the code of the syntax error.
    func json(upTo limit: Int) async throws -> JSONDocument {
        if let type = request.headers[.contentType], !Self.isJSON(type) {
            throw Problem(
                .unsupportedMediaType, "media_type_unsupported", "unsupported media type of the body",
                expected: "application/json", found: type)
        }
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw Self.tooLarge(limit)
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge(limit)
        }
        do throws(JSONError) {
            return try JSONDocument(parsing: Array(body.readableBytesView))
        } catch {
            throw Problem(.badRequest, Refusal(json: error))
        }
    }

    private static func tooLarge(_ limit: Int) -> Problem {
        Problem(
            .contentTooLarge, "payload_too_large", "the body is too large", expected: "at most \(limit) bytes",
            found: "more")
    }

    private static func isJSON(_ contentType: String) -> Bool {
        let type = contentType.prefix { $0 != ";" }.lowercased()
        return type.trimmingPrefix(while: \.isWhitespace).prefix { !$0.isWhitespace } == "application/json"
    }
}
