package import AppStoreModel
package import Primitives

/// The calls that may be made to the App Store Server API, below Apple's hourly limits for each app, environment and
/// endpoint.
///
/// Calls are spread over the hour; a minute's worth may come at once. No hour has more than its limit.
package struct CallBudget: Sendable {
    /// An app in one environment.
    package struct App: Hashable, Sendable {
        package let bundleId: String
        package let environment: Environment

        package init(bundleId: String, environment: Environment) {
            self.bundleId = bundleId
            self.environment = environment
        }
    }

    /// A limit that refills evenly. The burst is part of the hour's limit.
    private struct Bucket: Sendable {
        let burst: Double
        let perMillisecond: Double
        private(set) var level: Double
        private var filledAt: Instant?

        init(perHour limit: Double) {
            burst = max(1, limit / 60)
            perMillisecond = max(limit - burst, 1) / Double(Instant.millisecondsPerHour)
            level = burst
        }

        mutating func fill(_ now: Instant) {
            let passed = filledAt.map { now.milliseconds - $0.milliseconds } ?? 0
            if passed > 0 { level = min(burst, level + Double(passed) * perMillisecond) }
            if passed > 0 || filledAt == nil { filledAt = now }
        }

        /// The milliseconds until `calls` are left.
        func wait(for calls: Double = 1) -> Int64 {
            level >= calls ? 0 : Int64(((calls - level) / perMillisecond).rounded(.up))
        }

        /// Half of the burst. Work in the background leaves it to others.
        var reserve: Double { max(1, burst / 2) }

        mutating func take() { level -= 1 }
    }

    private struct Limit: Hashable {
        let app: App
        let endpoint: ServerAPIEndpoint
    }

    private let headroom: Double
    private var all: Bucket
    private var buckets: [Limit: Bucket] = [:]
    /// Half of each limit.
    private var background: Bucket
    private var backgroundBuckets: [Limit: Bucket] = [:]

    /// - Parameters:
    ///   - callsPerHour: the limit over all apps and endpoints.
    ///   - headroom: the share of every limit that is used, above 0, at most 1.
    package init(callsPerHour: Int, headroom: Double) {
        precondition(headroom > 0 && headroom <= 1 && callsPerHour > 0, "a budget has calls")
        self.headroom = headroom
        all = Bucket(perHour: Double(callsPerHour) * headroom)
        background = Bucket(perHour: Double(callsPerHour) * headroom / 2)
    }

    /// Takes a call out of the budget.
    /// - Returns: nil when there is one, otherwise the instant from which to ask again.
    package mutating func take(_ endpoint: ServerAPIEndpoint, of app: App, at now: Instant) -> Instant? {
        let limit = Limit(app: app, endpoint: endpoint)
        var bucket = buckets[limit] ?? Bucket(perHour: calls(of: limit))
        defer { buckets[limit] = bucket }
        all.fill(now)
        bucket.fill(now)
        let wait = max(all.wait(), bucket.wait())
        guard wait == 0 else { return now.advanced(byMilliseconds: wait) }
        all.take()
        bucket.take()
        return nil
    }

    /// Takes a call for work that can wait. Such work has at most half of the budget, and comes after everything else.
    /// - Returns: as `take`.
    package mutating func takeInBackground(_ endpoint: ServerAPIEndpoint, of app: App, at now: Instant) -> Instant? {
        let limit = Limit(app: app, endpoint: endpoint)
        var bucket = buckets[limit] ?? Bucket(perHour: calls(of: limit))
        var half = backgroundBuckets[limit] ?? Bucket(perHour: calls(of: limit) / 2)
        defer { backgroundBuckets[limit] = half }
        all.fill(now)
        background.fill(now)
        bucket.fill(now)
        half.fill(now)
        buckets[limit] = bucket
        let wait =
            [
                all.wait(for: all.reserve), bucket.wait(for: bucket.reserve), background.wait(), half.wait(),
            ].max() ?? 0
        guard wait == 0 else { return now.advanced(byMilliseconds: wait) }
        background.take()
        half.take()
        return take(endpoint, of: app, at: now)
    }

    /// The calls of an hour.
    private func calls(of limit: Limit) -> Double {
        Double(limit.endpoint.callsPerSecond) * 3_600 * headroom
            * (limit.app.environment == .production ? 1 : Self.sandboxShare)
    }

    private static let sandboxShare = 0.1
}
