import HTTPTypes
import Hummingbird
import Primitives
import SubscriptionLedger

/// The verbatim evidence of an event. Evidence may be erased later, so caches must revalidate it by its digest.
struct EvidenceRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/evidence/{position}"
    let access = Access.auditing
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        _ = try Query(of: call, names: [])
        let ledger = context.reader
        let position = try call.positionParameter()
        let size = try ledger.size()
        guard position < size else { throw Problem.unknownPosition(position, size: size) }
        guard let evidence = try ledger.evidence(at: position) else {
            throw Problem.notFound("event \(position) has no evidence")
        }
        let tag = "\"\(evidence.digest.hex)\""
        var headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
        if Self.isKnown(tag, by: call.request) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = evidence.mediaType ?? "application/octet-stream"
        return .bytes(evidence.bytes, headers: headers)
    }

    /// Whether If-None-Match matches the tag in the weak comparison (RFC 9110 §13.1.2).
    private static func isKnown(_ tag: String, by request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",").contains { candidate in
            let candidate = candidate.trimmingPrefix(while: \.isWhitespace).prefix { !$0.isWhitespace }
            return candidate == "*" || candidate == tag || candidate == "W/" + tag
        }
    }
}
