import LedgerModel
package import PaidService
import SubscriptionStatus

/// The number of departures by calendar bucket and class.
package struct ChurnCounts: Sendable {
    package private(set) var counts: [Bucket: [ChurnClass: Int]] = [:]
    private let calendar: BucketCalendar

    package init(_ calendar: BucketCalendar) {
        self.calendar = calendar
    }

    package mutating func add(_ episode: ChurnEpisode) {
        counts[calendar.bucket(of: episode.churnedAt), default: [:]][episode.churnClass, default: 0] += 1
    }

    package mutating func merge(_ other: ChurnCounts) {
        for (bucket, classes) in other.counts { counts[bucket, default: [:]].merge(classes, uniquingKeysWith: +) }
    }
}

/// The subscriptions in billing retry at the end of each calendar bucket.
package struct RetryCounts: Sendable {
    private var changes: [Bucket: Int] = [:]
    private let calendar: BucketCalendar

    package init(_ calendar: BucketCalendar) {
        self.calendar = calendar
    }

    package mutating func add(_ episode: RetryEpisode) {
        changes[calendar.bucket(of: episode.failedAt), default: 0] += 1
        guard let end = episode.endedAt else { return }
        changes[calendar.bucket(of: end), default: 0] -= 1
    }

    package mutating func merge(_ other: RetryCounts) { changes.merge(other.changes, uniquingKeysWith: +) }

    /// The counts of all buckets from the first failure to the last change, in their order.
    package var counts: [(bucket: Bucket, inRetry: Int)] {
        guard var bucket = changes.keys.min(), let last = changes.keys.max() else { return [] }
        var (counts, count): ([(bucket: Bucket, inRetry: Int)], _) = ([], 0)
        while bucket <= last {
            count += changes[bucket] ?? 0
            counts.append((bucket, count))
            guard bucket < bucket.next else { break }
            bucket = bucket.next
        }
        return counts
    }
}

/// The offers of one kind, by what became of them.
package struct OfferFunnel: Sendable {
    package struct Row: Hashable, Sendable {
        package fileprivate(set) var started = 0
        package fileprivate(set) var pending = 0
        package fileprivate(set) var converted = 0
        package fileprivate(set) var notConverted: [ChurnClass: Int] = [:]
    }

    /// The rows by the name of the offer and its terms, such as `introductory freeTrial`.
    package private(set) var rows: [String: Row] = [:]

    package init() {}

    package mutating func add(_ run: OfferRun) {
        let name = [run.offer.name, run.offer.offerDiscountType?.name].compactMap { $0 }.joined(separator: " ")
        var row = rows[name] ?? Row()
        row.started += 1
        switch run.outcome {
        case .pending: row.pending += 1
        case .converted: row.converted += 1
        case .notConverted(let churnClass): row.notConverted[churnClass, default: 0] += 1
        }
        rows[name] = row
    }

    package mutating func merge(_ other: OfferFunnel) {
        for (name, row) in other.rows {
            var sum = rows[name] ?? Row()
            sum.started += row.started
            sum.pending += row.pending
            sum.converted += row.converted
            sum.notConverted.merge(row.notConverted, uniquingKeysWith: +)
            rows[name] = sum
        }
    }
}
