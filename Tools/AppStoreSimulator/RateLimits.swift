import AppStoreModel
import Primitives

/// Apple's limits for calls of the Server API, which it states per second and counts per hour.
/// https://developer.apple.com/documentation/appstoreserverapi/identifying-rate-limits
struct RateLimits: Sendable {
    private let isSandbox: Bool
    private var hour: Int64 = 0
    /// Endpoint -> its calls in the hour.
    private var calls: [ServerAPIEndpoint: Int] = [:]

    init(isSandbox: Bool) {
        self.isSandbox = isSandbox
    }

    /// Counts a call.
    /// - Returns: nil when it is allowed, otherwise the instant from which the next one is.
    mutating func admit(_ endpoint: ServerAPIEndpoint, at now: Instant) -> Instant? {
        let current = now.milliseconds.flooringDivided(by: Instant.millisecondsPerHour)
        if current != hour {
            hour = current
            calls = [:]
        }
        let limit = endpoint.callsPerSecond * 3_600 / (isSandbox ? 10 : 1)
        guard calls[endpoint, default: 0] < limit else {
            return Instant(milliseconds: (hour + 1) * Instant.millisecondsPerHour)
        }
        calls[endpoint, default: 0] += 1
        return nil
    }
}
