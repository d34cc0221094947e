package import LedgerModel
package import PaidService
package import Primitives

/// The revenue of many units by calendar bucket, currency and cuts. Units are added in any order, in parts that are
/// merged.
package struct RevenueTable: Sendable {
    /// The day to which refunds, reversals and credits belong: that of the movement, or that of the sale.
    package enum Booking: String, Sendable, CaseIterable { case movement, sale }

    package struct Key: Hashable, Sendable {
        package let bucket: Bucket
        /// Nil where an amount is not known.
        package let currency: Symbol?
        package let cut: [String?]

        package init(_ bucket: Bucket, _ currency: Symbol?, cut: [String?]) {
            (self.bucket, self.currency, self.cut) = (bucket, currency, cut)
        }
    }

    package struct Row: Hashable, Sendable {
        /// The number of movements.
        package fileprivate(set) var charges = 0
        package fileprivate(set) var gross: Int64 = 0
        /// Negative, as are upgrade credits.
        package fileprivate(set) var refunds: Int64 = 0
        package fileprivate(set) var reversals: Int64 = 0
        package fileprivate(set) var upgradeCredits: Int64 = 0
        package fileprivate(set) var proceedsBeforeTax: Int64 = 0
        /// The movements whose share is not known. They are in no sum of proceeds.
        package fileprivate(set) var unknownProceeds = 0
        /// The movements whose amount is not known. They are in no sum.
        package fileprivate(set) var unknownPrice = 0
        /// The movements whose exchange rate is not known. They are in no sum.
        package fileprivate(set) var unknownRate = 0
        /// The rates of the movements in other currencies.
        package fileprivate(set) var exchanges: [Symbol: ExchangeSpan] = [:]
        /// The units with a movement whose share is the higher one at the end of the bucket, of those with a known one.
        package fileprivate(set) var unitsAtHigherRate = 0
        package fileprivate(set) var unitsAtKnownRate = 0

        package var net: Int64 { [refunds, reversals, upgradeCredits].reduce(gross) { $0.addingClamped($1) } }
    }

    package private(set) var rows: [Key: Row] = [:]
    private let calendar: BucketCalendar
    private let cuts: [PurchaseCut]
    private let booking: Booking
    private let rules: Rules.Revenue
    private let reporting: ReportingCurrency?

    /// - Parameter reporting: the currency of the amounts; nil for that of each sale.
    package init(
        _ calendar: BucketCalendar, cuts: [PurchaseCut], booking: Booking, rules: Rules.Revenue,
        in reporting: ReportingCurrency? = nil
    ) {
        (self.calendar, self.cuts, self.booking, self.rules) = (calendar, cuts, booking, rules)
        self.reporting = reporting
    }

    package mutating func add(_ unit: PurchaseUnit) {
        let rates = ProceedsRates(unit, rules)
        var touched: Set<Key> = []
        for purchase in unit.purchases {
            let cut = cuts.map { $0.value(of: purchase, in: unit) }
            for charge in purchase.charges(in: reporting) {
                let bucket = calendar.bucket(of: booking == .sale ? charge.saleAt : charge.at)
                let key = Key(bucket, charge.amount == nil ? nil : charge.currency, cut: cut)
                rows[key, default: Row()].add(charge, rates.proceeds(of: charge))
                guard touched.insert(key).inserted else { continue }
                let end = min(calendar.start(of: bucket.next).advanced(byMilliseconds: -1), unit.asOf)
                rows[key]?.addUnit(isAtHigherRate: rates.isHigher(at: end))
            }
        }
    }

    package mutating func merge(_ other: RevenueTable) {
        for (key, row) in other.rows { add(row, to: key) }
    }

    /// Adds a row of another table.
    package mutating func add(_ row: Row, to key: Key) { rows[key, default: Row()].merge(row) }
}

/// The days of the exchange rates in a sum.
package struct ExchangeSpan: Hashable, Sendable {
    package private(set) var movements = 0
    package private(set) var firstDay: UTCDay
    package private(set) var lastDay: UTCDay

    fileprivate init(day: UTCDay) {
        (firstDay, lastDay) = (day, day)
    }

    fileprivate mutating func add(_ day: UTCDay) {
        movements += 1
        (firstDay, lastDay) = (min(firstDay, day), max(lastDay, day))
    }

    fileprivate func merged(with other: Self) -> Self {
        var span = self
        span.movements += other.movements
        (span.firstDay, span.lastDay) = (min(firstDay, other.firstDay), max(lastDay, other.lastDay))
        return span
    }
}

/// The numbers of a row, which add up. The days of exchange rates are not among them.
extension RevenueTable.Row {
    package var numbers: [Int64] {
        [gross, refunds, reversals, upgradeCredits, proceedsBeforeTax]
            + [charges, unknownProceeds, unknownPrice, unknownRate, unitsAtHigherRate, unitsAtKnownRate].map(Int64.init)
    }

    /// Returns nil for another number of numbers.
    package init?(numbers: [Int64]) {
        guard numbers.count == 11 else { return nil }
        (gross, refunds, reversals) = (numbers[0], numbers[1], numbers[2])
        (upgradeCredits, proceedsBeforeTax) = (numbers[3], numbers[4])
        let counts = numbers[5...].map { Int($0) }
        (charges, unknownProceeds, unknownPrice) = (counts[0], counts[1], counts[2])
        (unknownRate, unitsAtHigherRate, unitsAtKnownRate) = (counts[3], counts[4], counts[5])
    }
}

extension RevenueTable.Row {
    fileprivate mutating func add(_ charge: Charge, _ proceeds: Int64?) {
        charges += 1
        guard let amount = charge.amount else {
            if charge.lacksRate { unknownRate += 1 } else { unknownPrice += 1 }
            return
        }
        if let of = charge.exchange?.of, let rate = charge.exchange?.rate {
            exchanges[of, default: ExchangeSpan(day: rate.day)].add(rate.day)
        }
        switch charge.kind {
        case .sale: gross = gross.addingClamped(amount)
        case .refund: refunds = refunds.addingClamped(amount)
        case .reversal: reversals = reversals.addingClamped(amount)
        case .upgradeCredit: upgradeCredits = upgradeCredits.addingClamped(amount)
        }
        if let proceeds {
            proceedsBeforeTax = proceedsBeforeTax.addingClamped(proceeds)
        } else {
            unknownProceeds += 1
        }
    }

    fileprivate mutating func addUnit(isAtHigherRate: Bool?) {
        guard let isAtHigherRate else { return }
        unitsAtKnownRate += 1
        if isAtHigherRate { unitsAtHigherRate += 1 }
    }

    fileprivate mutating func merge(_ other: Self) {
        charges += other.charges
        gross = gross.addingClamped(other.gross)
        refunds = refunds.addingClamped(other.refunds)
        reversals = reversals.addingClamped(other.reversals)
        upgradeCredits = upgradeCredits.addingClamped(other.upgradeCredits)
        proceedsBeforeTax = proceedsBeforeTax.addingClamped(other.proceedsBeforeTax)
        unknownProceeds += other.unknownProceeds
        unknownPrice += other.unknownPrice
        unknownRate += other.unknownRate
        exchanges.merge(other.exchanges) { $0.merged(with: $1) }
        unitsAtHigherRate += other.unitsAtHigherRate
        unitsAtKnownRate += other.unitsAtKnownRate
    }
}
