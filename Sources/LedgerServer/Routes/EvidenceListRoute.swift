import HTTPTypes
import Hummingbird
import Primitives
import SubscriptionLedger

/// The evidence of consecutive events, for replicas. Each entry consists of the position (u64, big-endian), the length
/// (u32, big-endian) and the bytes. Every position has an entry; its length is 0 for an event without evidence, and for one
/// whose evidence was erased.
struct EvidenceListRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/evidence"
    let access = Access.auditing
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let query = try Query(of: call, names: ["after", "limit"])
        let after = try query.integer("after", in: -1...Int64.max - 1) ?? -1
        let limit =
            try query.integer("limit", in: 1...Int64(ServerLimits.pageEvents)) ?? Int64(ServerLimits.defaultPageEvents)
        let ledger = context.reader
        let known = try ledger.size()
        guard after < Int64(clamping: known) else { throw Problem.positionAhead(after, size: known) }
        let (bytes, next, size) = try await BlockingWork.run {
            var bytes: [UInt8] = []
            let size = try ledger.size()
            var position = UInt64(after + 1)
            let end = min(size, position.addingReportingOverflow(UInt64(limit)).partialValue)
            while position < end, bytes.count < ServerLimits.evidencePageBytes {
                try WorkLimit.check()
                Self.append(try Self.evidence(at: position, in: ledger), of: position, to: &bytes)
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

    private static func evidence(at position: UInt64, in ledger: LedgerReader) throws -> [UInt8] {
        do {
            return try ledger.evidence(at: position)?.bytes ?? []
        } catch is ErasedEvidenceError {
            return []
        }
    }

    private static func append(_ evidence: [UInt8], of position: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: position.bigEndian) { bytes.append(contentsOf: $0) }
        // The log stores lengths as 32 bits.
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: evidence.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes += evidence
    }
}
