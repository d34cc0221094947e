import LedgerStorage
import Synchronization

/// The calls of one route by status, and their durations.
final class RouteMetrics: Sendable {
    let route: String
    private let counts = Mutex<[Int: UInt64]>([:])
    let durations = DurationHistogram()

    init(route: String) {
        self.route = route
    }

    func count(status: Int, _ duration: Duration) {
        counts.withLock { $0[status, default: 0] += 1 }
        durations.observe(duration)
    }

    var byStatus: [(status: Int, count: UInt64)] {
        counts.withLock { $0 }.map { (status: $0.key, count: $0.value) }.sorted { $0.status < $1.status }
    }
}
