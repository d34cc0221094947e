import Exports
import HTTPTypes
import Hummingbird
import LedgerStorage
import SubscriptionLedger

/// The metrics in Prometheus's text format.
struct MetricsRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/metrics"
    let access: Access
    let context: RouteContext

    private static let headers: HTTPFields = [.contentType: ExpositionText.contentType]

    func respond(to call: RouteRequest) async throws -> Response {
        var text = ExpositionText()
        let ledger = context.ledger
        Self.writeAppends(of: ledger, to: &text)
        context.metrics.write(to: &text)
        text.gauge("subledger_log_events", "Number of events in the log.", try context.reader.size())
        text.gauge("subledger_derived_lag", "Number of events not yet applied to derived data.", context.reader.factLag)
        if let count = try? context.transitions.disagreementCount() {
            text.gauge(
                "subledger_status_disagreements",
                "Number of statuses signed by Apple that differ from the ledger's answer at signing.", count)
        }
        if let polling = context.polling {
            text.gauge(
                "subledger_polls_queued", "Number of accounts to ask Apple about within a day.",
                await polling.poller.queuedPolls)
            Self.write(polling.stops, to: &text)
        }
        text.write(context.exports.statuses)
        let published = context.checkpoint.size
        text.gauge("subledger_checkpoint_events", "Number of events covered by the published checkpoint.", published)
        text.gauge("subledger_followers", "Number of streaming connections.", context.subscribers.count)
        text.gauge("subledger_waiting_verifications", "Number of queued verifications.", ledger.verifications.waiting)
        if let quarantine = try? ledger.quarantine.size() {
            text.gauge("subledger_quarantine_items", "Number of quarantined artifacts.", quarantine.items)
            text.gauge("subledger_quarantine_bytes", "Size of the quarantined artifacts in bytes.", quarantine.bytes)
        }
        return .bytes(Array(text.text.utf8), headers: Self.headers)
    }

    /// Each code has a sample, so that an alert has a series before it fires.
    private static func write(_ stops: [StoppedCalls], to text: inout ExpositionText) {
        text.family(
            "subledger_stopped_calls", .gauge,
            "Number of apps in an environment whose calls stopped until the next start, by code.")
        for code in StoppedCalls.codes {
            text.sample("subledger_stopped_calls", [("code", code)], "\(stops.count { $0.code == code })")
        }
    }

    private static func writeAppends(of ledger: LedgerWriter, to text: inout ExpositionText) {
        text.family("subledger_appends_total", .counter, "Number of appended events by kind since start.")
        for (kind, count) in ledger.appendCounts {
            text.sample("subledger_appends_total", [("kind", kind)], "\(count)")
        }
        text.family("subledger_append_seconds", .histogram, "Time from the append request to the durable commit.")
        text.histogram("subledger_append_seconds", [], ledger.appendDurations.snapshot)
    }
}
