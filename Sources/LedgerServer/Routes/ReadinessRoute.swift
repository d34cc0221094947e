import Exports
import HTTPTypes
import Hummingbird
import LedgerStorage
import Primitives
import SubscriptionLedger

/// Whether the ledger accepts events and answers: the log is open, derived data keeps up, and disk space is left. Checks the
/// current condition rather than the last failure, which would persist in a service without calls.
struct ReadinessRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/readyz"
    let access = Access.anybody
    let context: RouteContext

    func respond(to call: RouteRequest) async throws -> Response {
        let ledger = context.reader
        let writer: String
        var freeBytes: Int?
        do {
            freeBytes = try ledger.freeBytes()
            writer = "ok"
        } catch let error as StorageError {
            writer = error.code.rawValue
        }
        let isReady =
            !ledger.isFactIndexFull && !ledger.isCatchingUp && (freeBytes ?? 0) >= ServerLimits.freeBytes
        return .json(
            .object([
                "status": .string(isReady ? "ready" : "unavailable"), "writer": .string(writer),
                "derivedLag": .integer(Int64(clamping: ledger.factLag)), "freeBytes": JSONValue(freeBytes),
                "stoppedCalls": .array((context.polling?.stops ?? []).map(\.json)),
                "failedExports": .array(context.exports.statuses.compactMap(\.failureJSON)),
            ]), status: isReady ? .ok : .serviceUnavailable)
    }
}
