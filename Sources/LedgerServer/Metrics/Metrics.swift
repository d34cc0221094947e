import EventLog
import Synchronization

/// What the service counts of itself.
final class Metrics: Sendable {
    let refusals = Counter(
        "subledger_refusals_total", label: "code", help: "Artifacts refused since the start, by code.")
    private let routes = Mutex<[RouteMetrics]>([])

    func route(_ template: String) -> RouteMetrics {
        let metrics = RouteMetrics(route: template)
        routes.withLock { $0.append(metrics) }
        return metrics
    }

    func write(to text: inout ExpositionText) {
        refusals.write(to: &text)
        let routes = routes.withLock { $0 }
        text.family("subledger_http_requests_total", .counter, "Calls since the start, by route and status.")
        for route in routes {
            for (status, count) in route.byStatus {
                text.sample(
                    "subledger_http_requests_total", [("route", route.route), ("status", "\(status)")], "\(count)")
            }
        }
        text.family("subledger_http_request_seconds", .histogram, "From the call to the beginning of its answer.")
        for route in routes where !route.byStatus.isEmpty {
            text.histogram("subledger_http_request_seconds", [("route", route.route)], route.durations.snapshot)
        }
    }
}
