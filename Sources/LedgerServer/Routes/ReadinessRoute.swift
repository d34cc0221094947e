import EventLog
import HTTPTypes
import Hummingbird
import Primitives
import ProjectionRuntime
import SubscriptionLedger

/// Whether the ledger accepts events: the log is open, derived data keeps up, and disk space is left. Reads the present
/// condition rather than the last failure, which would last forever in a service without calls.
struct ReadinessRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/readyz"
    let access = Access.anybody
    let served: ServedLedger

    func respond(to call: Call) async throws -> Response {
        let derived = served.ledger.derived
        let writer: String
        var freeBytes: Int?
        do {
            freeBytes = try served.ledger.freeBytes()
            writer = "ok"
        } catch let error as EventLogError {
            writer = error.code.rawValue
        }
        let isReady = !derived.isFull && (freeBytes ?? 0) >= ServerLimits.freeBytes
        return .json(
            .object([
                "status": .string(isReady ? "ready" : "unavailable"), "writer": .string(writer),
                "derivedLag": .integer(Int64(derived.lag)), "freeBytes": JSONValue(freeBytes),
            ]), status: isReady ? .ok : .serviceUnavailable)
    }
}
