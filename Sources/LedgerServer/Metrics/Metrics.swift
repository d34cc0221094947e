import LedgerStorage
import Synchronization

/// The refusals and calls that the service counts.
final class Metrics: Sendable {
    let refusals = Counter(
        "subledger_refusals_total", label: "code", help: "Number of refused artifacts by code since start.")
    let polls = Counter(
        "subledger_polls_total", label: "outcome",
        help: "Number of questions to Apple by outcome (changed, unchanged, failed) since start.")
    private let routes = Mutex<[RouteMetrics]>([])

    /// Returns the metrics of a route, which may be served at several listeners.
    func route(_ template: String) -> RouteMetrics {
        routes.withLock { routes in
            if let known = routes.first(where: { $0.route == template }) { return known }
            let metrics = RouteMetrics(route: template)
            routes.append(metrics)
            return metrics
        }
    }

    func write(to text: inout ExpositionText) {
        refusals.write(to: &text)
        polls.write(to: &text)
        let routes = routes.withLock { $0 }
        text.family("subledger_http_requests_total", .counter, "Number of requests by route and status since start.")
        for route in routes {
            for (status, count) in route.byStatus {
                text.sample(
                    "subledger_http_requests_total", [("route", route.route), ("status", "\(status)")], "\(count)")
            }
        }
        text.family("subledger_http_request_seconds", .histogram, "Time from the request to the start of the response.")
        for route in routes where !route.byStatus.isEmpty {
            text.histogram("subledger_http_request_seconds", [("route", route.route)], route.durations.snapshot)
        }
    }
}
