import LedgerModel
package import PaidService
package import Primitives
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
    private let asOf: Instant

    package init(_ calendar: BucketCalendar, asOf: Instant) {
        (self.calendar, self.asOf) = (calendar, asOf)
    }

    package mutating func add(_ episode: RetryEpisode) {
        changes[calendar.bucket(of: episode.failedAt), default: 0] += 1
        guard let end = episode.endedAt else { return }
        changes[calendar.bucket(of: end), default: 0] -= 1
    }

    package mutating func merge(_ other: RetryCounts) { changes.merge(other.changes, uniquingKeysWith: +) }

    /// The number in retry at the end of each bucket, from the first failure to `asOf`, in order.
    package var counts: [(bucket: Bucket, inRetry: Int)] {
        guard var bucket = changes.keys.min() else { return [] }
        let last = calendar.bucket(of: asOf)
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

/// The offers that subscribers used, by outcome.
package struct OfferFunnel: Sendable {
    /// The offers that are counted together.
    package struct Key: Hashable, Sendable {
        /// The calendar bucket in which the offer began; nil without a calendar.
        package let bucket: Bucket?
        /// The kind of the offer and its terms, such as `introductory freeTrial`.
        package let offer: String
        /// The values of the cuts; nil where the first purchase with the offer has none.
        package let cut: [String?]
    }

    package struct Row: Hashable, Sendable {
        package fileprivate(set) var started = 0
        package fileprivate(set) var pending = 0
        package fileprivate(set) var converted = 0
        package fileprivate(set) var notConverted: [ChurnClass: Int] = [:]
    }

    package private(set) var rows: [Key: Row] = [:]
    private let calendar: BucketCalendar?
    private let cuts: [PurchaseCut]

    package init(_ calendar: BucketCalendar? = nil, cuts: [PurchaseCut] = []) {
        (self.calendar, self.cuts) = (calendar, cuts)
    }

    package mutating func add(_ run: OfferRun, of unit: PurchaseUnit) {
        let key = Key(
            bucket: calendar?.bucket(of: run.first.start),
            offer: [run.offer.name, run.offer.offerDiscountType?.name].compactMap { $0 }.joined(separator: " "),
            cut: cuts.map { $0.value(of: run.first, in: unit) })
        var row = rows[key] ?? Row()
        row.started += 1
        switch run.outcome {
        case .pending: row.pending += 1
        case .converted: row.converted += 1
        case .notConverted(let churnClass): row.notConverted[churnClass, default: 0] += 1
        }
        rows[key] = row
    }

    package mutating func merge(_ other: OfferFunnel) {
        for (key, row) in other.rows {
            var sum = rows[key] ?? Row()
            sum.started += row.started
            sum.pending += row.pending
            sum.converted += row.converted
            sum.notConverted.merge(row.notConverted, uniquingKeysWith: +)
            rows[key] = sum
        }
    }
}
