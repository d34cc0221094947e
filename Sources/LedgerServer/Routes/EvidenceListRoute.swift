import EventLog
import HTTPTypes
import Hummingbird
import NIOPosix
import SubscriptionLedger

/// The evidence of one event after the other, for replicas: position (u64, big-endian), length (u32, big-endian), then
/// as many bytes. Every position is there, with length 0 where an event rests on none.
struct EvidenceListRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/evidence"
    let access = Access.auditing
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let query = try Query(of: call, names: ["after", "limit"])
        let after = try query.integer("after", in: -1...Int64.max - 1) ?? -1
        let limit =
            try query.integer("limit", in: 1...Int64(ServerLimits.pageEvents)) ?? Int64(ServerLimits.defaultPageEvents)
        let log = served.ledger.log
        let known = try log.head().size
        guard after < Int64(clamping: known) else { throw Problem.positionAhead(after, size: known) }
        let (bytes, next, size) = try await NIOThreadPool.singleton.runIfActive {
            var bytes: [UInt8] = []
            let size = try log.head().size
            var position = UInt64(after + 1)
            let end = min(size, position.addingReportingOverflow(UInt64(limit)).partialValue)
            while position < end, bytes.count < ServerLimits.evidencePageBytes {
                Self.append(try log.evidence(at: position) ?? [], of: position, to: &bytes)
                position += 1
            }
            return (bytes, position, size)
        }
        var headers: HTTPFields = [.contentType: "application/octet-stream", .cacheControl: "private, no-cache"]
        if !bytes.isEmpty, next < size {
            headers[.link] = "<\(template)?after=\(next - 1)&limit=\(limit)>; rel=\"next\""
        }
        return .bytes(bytes, headers: headers)
    }

    private static func append(_ evidence: [UInt8], of position: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: position.bigEndian) { bytes.append(contentsOf: $0) }
        // The log holds lengths as 32 bits.
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: evidence.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes += evidence
    }
}
