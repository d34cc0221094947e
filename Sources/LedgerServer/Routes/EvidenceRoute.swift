import EventLog
import HTTPTypes
import Hummingbird
import Primitives
import SubscriptionLedger

/// The verbatim bytes an event rests on. They may be erased one day, so they are kept only under their digest.
struct EvidenceRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/evidence/{position}"
    let access = Access.auditing
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        _ = try Query(of: call, names: [])
        let log = served.ledger.log
        let position = try call.positionParameter()
        guard let record = try log.record(at: position) else {
            throw Problem.unknownPosition(position, size: try log.head().size)
        }
        guard record.evidenceLength > 0 else {
            throw Problem.notFound("event \(position) has no evidence")
        }
        let tag = "\"\(record.evidenceDigest.hex)\""
        var headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
        if Self.isKnown(tag, by: call.request) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = record.artifact.isJWS ? "application/jose" : "application/octet-stream"
        return .bytes(try log.evidence(at: position) ?? [], headers: headers)
    }

    /// RFC 9110 §13.1.2, by the weak comparison.
    private static func isKnown(_ tag: String, by request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",").contains { candidate in
            let candidate = candidate.trimmingPrefix(while: \.isWhitespace).prefix { !$0.isWhitespace }
            return candidate == "*" || candidate == tag || candidate == "W/" + tag
        }
    }
}

extension ArtifactCode {
    fileprivate var isJWS: Bool {
        [.notificationV2, .transaction, .renewalInfo, .appTransaction].contains(self)
    }
}
