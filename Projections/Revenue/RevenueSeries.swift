package import LedgerModel
package import PaidService
package import Primitives
import SubscriptionStatus

/// The recurring revenue of many units from bucket to bucket of a calendar. Units are added in any order, in parts that
/// are merged.
package struct RevenueSeries: Sendable {
    /// The changes in each bucket that has any.
    private var changes: [Bucket: RevenueMovement] = [:]
    private let calendar: BucketCalendar
    private let rules: Rules
    private let asOf: Instant
    private let reporting: ReportingCurrency?

    /// - Parameters:
    ///   - asOf: the end of the last bucket, which it cuts short.
    ///   - reporting: the currency of the amounts; nil for that of each sale.
    package init(_ calendar: BucketCalendar, rules: Rules, asOf: Instant, in reporting: ReportingCurrency? = nil) {
        (self.calendar, self.rules, self.asOf, self.reporting) = (calendar, rules, asOf, reporting)
    }

    /// Adds the units of lineages that Apple accounts join.
    /// - Complexity: O(n) evaluations of the purchases in service for n buckets in which something may change, and of all
    ///   purchases where the recurring revenue changes.
    package mutating func add(_ lineages: [Lineage], catalogs: [Symbol: CatalogHistory]) {
        // No access rule changes a number of revenue.
        let turningPoints = lineages.turningPoints(rules: Rules()).filter { $0 <= asOf }
        var before: RevenueSnapshot?
        for bucket in Set(turningPoints.map { calendar.bucket(of: $0.clamped) }).sorted() {
            // Changes at the first instant of the next bucket belong to that bucket.
            let end = min(calendar.start(of: bucket.next).advanced(byMilliseconds: -1), asOf)
            let after = RevenueSnapshot(lineages, at: end, catalogs: catalogs, rules.revenue.mrr, in: reporting)
            changes[bucket, default: RevenueMovement()].add(before, after)
            before = after
        }
    }

    package mutating func merge(_ other: RevenueSeries) {
        for (bucket, movement) in other.changes { changes[bucket, default: RevenueMovement()].merge(movement) }
    }

    /// A bucket in one currency. `closing` is `opening` plus all changes.
    package struct Row: Sendable {
        package let bucket: Bucket
        package let currency: Symbol?
        package let opening: Int64
        package let changes: [RevenueMovement.Kind: Int64]
        package let churnedInRetry: Int64
        package let closing: Int64
        /// The purchases at the end whose price, duration or exchange rate is not known. They are in the row without a currency.
        package let unknownPrice: Int
    }

    /// The rows of all buckets from the first change to the instant of the question, ordered by bucket and currency.
    package var rows: [Row] {
        let currencies = Set(changes.values.flatMap(\.currencies)).sorted { ($0?.text ?? "") < ($1?.text ?? "") }
        guard let first = changes.keys.min(), !currencies.isEmpty else { return [] }
        var rows: [Row] = []
        var totals: [Symbol?: Int64] = [:]
        var unknownPrice = 0
        var bucket = first
        while calendar.start(of: bucket) <= asOf {
            let movement = changes[bucket]
            unknownPrice += movement?.unknownChange ?? 0
            for currency in currencies {
                let opening = totals[currency] ?? 0
                let amounts = (movement?.changes ?? [:]).mapValues { $0[currency] }.filter { $0.value != 0 }
                let closing = amounts.values.reduce(opening) { $0.addingClamped($1) }
                totals[currency] = closing
                rows.append(
                    Row(
                        bucket: bucket, currency: currency, opening: opening, changes: amounts,
                        churnedInRetry: movement?.churnedInRetry[currency] ?? 0, closing: closing,
                        unknownPrice: currency == nil ? unknownPrice : 0))
            }
            // The last month that calendars have is followed by itself.
            guard bucket < bucket.next else { break }
            bucket = bucket.next
        }
        return rows
    }
}

extension RevenueMovement {
    fileprivate var currencies: Set<Symbol?> {
        let known = changes.values.flatMap { $0.entries.map(\.currency) }
        return Set(unknownChange == 0 ? known : known + [nil])
    }
}

extension Instant {
    /// The instant in the years that calendars have.
    fileprivate var clamped: Instant { min(max(self, .earliest), .latest) }
}
