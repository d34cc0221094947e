import EventLog
import HTTPTypes
import Hummingbird
import ProjectionRuntime
import SubscriptionLedger

/// The metrics, in Prometheus's text format.
struct MetricsRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/metrics"
    let access = Access.auditing
    let served: ServedLedger

    private static let headers: HTTPFields = [.contentType: ExpositionText.contentType]

    func respond(to call: Call) async throws -> Response {
        var text = ExpositionText()
        let ledger = served.ledger
        Self.write(ledger.log.statistics, to: &text)
        served.metrics.write(to: &text)
        text.gauge("subledger_log_events", "Events in the log.", try ledger.log.head().size)
        text.gauge("subledger_derived_lag", "Events in the log that derived/ has not applied.", ledger.derived.lag)
        if let count = try? served.transitions.disagreementCount() {
            text.gauge(
                "subledger_status_disagreements",
                "Statuses signed by Apple that the ledger's answer at their signing differs from.", count)
        }
        let published = served.checkpoint.current.checkpoint.size
        text.gauge("subledger_checkpoint_events", "Events under the published checkpoint.", published)
        text.gauge("subledger_followers", "Connections that follow the log.", served.followers.count)
        text.gauge("subledger_waiting_verifications", "Verifications that wait.", ledger.verifications.waiting)
        if let quarantine = try? ledger.quarantine?.size() {
            text.gauge("subledger_quarantine_items", "Refused artifacts that are kept.", quarantine.items)
            text.gauge("subledger_quarantine_bytes", "Their size.", quarantine.bytes)
        }
        return .bytes(Array(text.text.utf8), headers: Self.headers)
    }

    private static func write(_ statistics: AppendStatistics, to text: inout ExpositionText) {
        text.family("subledger_appends_total", .counter, "Events appended since the start, by kind.")
        for (kind, count) in statistics.byKind.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample("subledger_appends_total", [("kind", kind.name)], "\(count)")
        }
        text.family("subledger_append_seconds", .histogram, "From handing events to the writer to the durable commit.")
        text.histogram("subledger_append_seconds", [], statistics.durations.snapshot)
    }
}
