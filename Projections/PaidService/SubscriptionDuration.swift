import AppStoreModel
import LedgerModel
import Primitives

extension CalendarPeriod {
    /// The durations that Apple offers, with the lengths in days that each may have.
    private static let offered: [(days: ClosedRange<Int64>, period: CalendarPeriod)] = [
        (6...8, CalendarPeriod(1, .week)), (27...32, CalendarPeriod(1, .month)), (58...63, CalendarPeriod(2, .month)),
        (88...93, CalendarPeriod(3, .month)), (179...185, CalendarPeriod(6, .month)),
        (362...368, CalendarPeriod(1, .year)),
    ]

    /// Returns the duration of the subscription that a period was bought for: that of the catalogue in effect at its
    /// start, else the one that fits the length of the first purchase of the product without an offer. Nil if neither
    /// is known.
    ///
    /// The months of a plan with a commitment are charged one by one, so each is a month.
    /// - Parameter purchases: the purchases of the unit, oldest first.
    init?(of period: Period, _ product: CatalogProduct?, among purchases: [Period]) {
        if let total = period.commitment?.totalBillingPeriods, total > 1 {
            self.init(1, .month)
        } else if let duration = product?.duration {
            self = duration
        } else {
            let first = purchases.first { $0.productId == period.productId && $0.offer == nil }
            guard let first, let length = first.lengthInDays,
                let match = Self.offered.first(where: { $0.days.contains(length) })
            else { return nil }
            self = match.period
        }
    }
}

extension Period {
    /// The length without extensions, to the nearest day.
    fileprivate var lengthInDays: Int64? {
        guard let end = statedEnd else { return nil }
        let (length, overflow) = end.milliseconds.subtractingReportingOverflow(start.milliseconds)
        guard !overflow, length > 0 else { return nil }
        return (length.advanced(by: Int(Instant.millisecondsPerDay / 2))) / Instant.millisecondsPerDay
    }
}
