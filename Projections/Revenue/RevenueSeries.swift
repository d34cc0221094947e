package import LedgerModel
package import PaidService
package import Primitives
import SubscriptionStatus

/// The recurring revenue of many units from bucket to bucket of a calendar. Units are added in any order, in parts that
/// are merged.
package struct RevenueSeries: Sendable {
    /// The changes in each bucket that has any.
    var changes: [Bucket: DividedMovement] = [:]
    private let calendar: BucketCalendar
    private let rules: Rules
    private let asOf: Instant
    private let reporting: ReportingCurrency?
    private let cuts: [PurchaseCut]

    /// - Parameters:
    ///   - asOf: the end of the last bucket, which it cuts short.
    ///   - reporting: the currency of the amounts; nil for that of each sale.
    ///   - cuts: the properties of purchases that divide the rows.
    package init(
        _ calendar: BucketCalendar, rules: Rules, asOf: Instant, in reporting: ReportingCurrency? = nil,
        by cuts: [PurchaseCut] = []
    ) {
        (self.calendar, self.rules, self.asOf, self.reporting) = (calendar, rules, asOf, reporting)
        self.cuts = cuts
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
            let after = RevenueSnapshot(
                lineages, at: end, catalogs: catalogs, rules.revenue.mrr, in: reporting, by: cuts)
            changes[bucket, default: DividedMovement()].add(before, after)
            before = after
        }
    }

    package mutating func merge(_ other: RevenueSeries) {
        for (bucket, movement) in other.changes { changes[bucket, default: DividedMovement()].merge(movement) }
    }

    /// A bucket in one cell and one currency. `closing` is `opening` plus all changes.
    package struct Row: Sendable {
        package let bucket: Bucket
        /// The values of the cuts.
        package let cell: RevenueCell
        package let currency: Symbol?
        package let opening: Int64
        package let changes: [RevenueMovement.Kind: Int64]
        package let churnedInRetry: Int64
        package let closing: Int64
        /// The purchases at the end whose price, duration or exchange rate is not known. They are in the row without a currency.
        package let unknownPrice: Int
        /// Whether the bucket is over.
        package let isComplete: Bool
    }

    /// The rows of all buckets from the first change to the instant of the question, ordered by bucket, cell and currency.
    package var rows: [Row] {
        guard let first = changes.keys.min() else { return [] }
        var accounts: [RevenueCell: [Symbol?: Account]] = [:]
        for movement in changes.values {
            for (cell, movement) in movement.cells {
                for currency in movement.currenciesOfRows { accounts[cell, default: [:]][currency] = Account() }
            }
        }
        let cells = accounts.keys.sorted { $0.precedes($1) }
        guard !cells.isEmpty else { return [] }
        var rows: [Row] = []
        var bucket = first
        while calendar.start(of: bucket) <= asOf {
            for cell in cells {
                let movement = changes[bucket]?.cells[cell]
                for currency in (accounts[cell] ?? [:]).keys.sorted(by: { ($0?.text ?? "") < ($1?.text ?? "") }) {
                    rows.append(
                        row(
                            bucket, cell, currency, movement,
                            &accounts[cell, default: [:]][currency, default: Account()]))
                }
            }
            // The last month that calendars have is followed by itself.
            guard bucket < bucket.next else { break }
            bucket = bucket.next
        }
        return rows
    }

    /// The amounts of a cell in one currency up to a bucket.
    private struct Account {
        var total: Int64 = 0
        var unknownPrice = 0
    }

    private func row(
        _ bucket: Bucket, _ cell: RevenueCell, _ currency: Symbol?, _ movement: RevenueMovement?,
        _ account: inout Account
    ) -> Row {
        let opening = account.total
        let amounts = (movement?.changes ?? [:]).mapValues { $0[currency] }.filter { $0.value != 0 }
        account.total = amounts.values.reduce(opening) { $0.addingClamped($1) }
        if currency == nil { account.unknownPrice += movement?.unknownChange ?? 0 }
        return Row(
            bucket: bucket, cell: cell, currency: currency, opening: opening, changes: amounts,
            churnedInRetry: movement?.churnedInRetry[currency] ?? 0, closing: account.total,
            unknownPrice: account.unknownPrice, isComplete: calendar.start(of: bucket.next) <= asOf)
    }
}

extension RevenueMovement {
    /// The currencies that have rows. Unknown amounts are in the row without a currency.
    fileprivate var currenciesOfRows: Set<Symbol?> { unknownChange == 0 ? currencies : currencies.union([nil]) }
}

extension Instant {
    /// The instant in the years that calendars have.
    fileprivate var clamped: Instant { min(max(self, .earliest), .latest) }
}
