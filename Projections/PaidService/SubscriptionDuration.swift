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
        if period.commitment?.isBilledMonthly == true {
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

extension TransactionFact.Commitment {
    fileprivate var isBilledMonthly: Bool {
        billingPlanType == .monthly || billingPeriodNumber != nil || totalBillingPeriods.map { $0 > 1 } ?? false
    }
}

extension CalendarPeriod {
    /// Creates the time that the price of a period is for: the whole offer if it was paid up front, else the duration.
    /// Nil if it is not known.
    ///
    /// Transactions signed before October 2023 have no offerDiscountType; the catalogue then has the terms.
    /// - Parameters:
    ///   - product: the description of the product that was in effect at the start; nil without one.
    ///   - duration: the duration of the product; nil if it is not known.
    init?(chargedFor period: Period, of product: CatalogProduct?, _ duration: CalendarPeriod?) {
        let described = product?.offer(of: period)
        let isPaidUpFront: Bool
        switch (period.offer?.offerDiscountType, described) {
        case (let terms?, _): isPaidUpFront = terms == .payUpFront
        case (nil, let described?): isPaidUpFront = described.payment == .payUpFront
        case (nil, nil): isPaidUpFront = period.offer != nil && period.isLonger(than: duration)
        }
        let whole =
            period.offer?.offerPeriod.flatMap { CalendarPeriod($0.text) }
            ?? described.map { CalendarPeriod($0.period.count * $0.periods, $0.period.unit) }
        guard let length = isPaidUpFront ? whole : duration else { return nil }
        self = length
    }
}

extension Period {
    /// Whether the period is longer than a duration by more than a day.
    fileprivate func isLonger(than duration: CalendarPeriod?) -> Bool {
        guard let end = statedEnd, let duration else { return false }
        return start.advanced(by: duration).advanced(byMilliseconds: Instant.millisecondsPerDay) < end
    }
}
