import LedgerModel
import PaidService
package import Primitives

/// The count of a cell that a member belongs to.
package enum CellStanding: Hashable, Sendable {
    package enum Reason: String, Sendable {
        /// The service of a paid purchase covers the instant of the cell.
        case service
        /// A failed renewal was recovered, and the rules bridge the gap.
        case bridged
        /// Enough purchases were paid, under a definition that counts purchases.
        case purchases
    }

    package enum Wait: String, Sendable {
        /// A failed renewal may still be recovered.
        case openGap
        case awaitingRenewal
        /// A renewal info implies a purchase that is not known.
        case impliedPeriod
    }

    case retained(Reason)
    case pending(Wait)
    case lost
}

extension CohortMember {
    /// The greatest number of a cell: 30 years of weeks.
    static let lastCell = 1_565

    /// Calls `body` with each cell in which the member is eligible: its number, the instant that it looks at, and the
    /// member's standing then.
    func forEachCell(_ body: (_ k: Int, _ s: Instant, _ standing: CellStanding) -> Void) {
        guard let anchor, let duration else { return }
        switch question.rules.definition {
        case .renewals: forEachRenewal(body)
        case .calendarMonth:
            let first = question.calendar.zone.date(of: anchor.start)
            forEachCell(body) { k in
                let end = question.calendar.zone.start(ofDay: first.firstOfMonth(after: Int64(k) + 1))
                return end.advanced(byMilliseconds: -1)
            }
        case .default, .appStoreConnect, .revenueCat:
            forEachCell(body) { k in
                guard k > 0 else { return anchor.start }
                // Apple's ends move by an hour with Pacific summer time.
                return anchor.start.advanced(by: duration, times: k).advanced(
                    byMilliseconds: Instant.millisecondsPerDay)
            }
        }
    }

    private func forEachCell(
        _ body: (Int, Instant, CellStanding) -> Void, at instant: (_ k: Int) -> Instant
    ) {
        let coverage = Coverage(unit, question)
        let indices = question.rules.definition == .revenueCat ? revenueCatIndices : nil
        for k in 0...Self.lastCell {
            let s = instant(k)
            let isOver = question.rules.definition == .calendarMonth ? s < question.asOf : s <= question.asOf
            guard isOver else { return }
            if let indices {
                body(
                    k, s,
                    indices.contains(k) ? .retained(.purchases) : coverage.wait(at: s).map { .pending($0) } ?? .lost)
            } else {
                body(k, s, coverage.standing(at: s))
            }
        }
    }

    /// Returns the instant that a cell looks at, and the member's standing then; nil when the member is not eligible.
    package func standing(inCell k: Int) -> (instant: Instant, standing: CellStanding)? {
        var found: (Instant, CellStanding)?
        forEachCell { number, instant, standing in
            if number == k { found = (instant, standing) }
        }
        let isGone = question.rules.definition == .renewals && bucket != nil && !isUndecided && k >= paidCount
        return found ?? (isGone ? (question.asOf, .lost) : nil)
    }

    /// The number of paid purchases that were not refunded in full.
    var paidCount: Int {
        unit.purchases.count { $0.isPaid && !$0.isReplacedBeforeStart && !$0.isRefundedInFull }
    }

    /// Whether the number of paid purchases may still grow without the subscriber coming back.
    var isUndecided: Bool { unit.isSubscribed }

    /// The cells of purchases paid. Those after are eligible for whoever is gone; the cohort knows how many there are.
    private func forEachRenewal(_ body: (Int, Instant, CellStanding) -> Void) {
        for k in 0..<min(paidCount, Self.lastCell) { body(k, question.asOf, .retained(.purchases)) }
    }

    /// The cells in which the member has a paid purchase: whole days since the anchor by the days of the duration,
    /// rounded half up.
    private var revenueCatIndices: Set<Int> {
        guard let anchor, let days = duration?.revenueCatDays else { return [] }
        return unit.purchases.reduce(into: []) { indices, purchase in
            guard purchase.isPaid, !purchase.isReplacedBeforeStart, !purchase.isRefundedInFull,
                purchase.start >= anchor.start
            else { return }
            let elapsed = (purchase.start.milliseconds - anchor.start.milliseconds) / Instant.millisecondsPerDay
            indices.insert(Int((2 * elapsed + days) / (2 * days)))
        }
    }
}

extension CalendarPeriod {
    /// The days of a duration in RevenueCat's subscription retention chart.
    fileprivate var revenueCatDays: Int64 {
        let days: Int64 =
            switch unit {
            case .day: 1
            case .week: 7
            case .month: 30
            case .year: 365
            }
        return days * Int64(count)
    }
}

/// The instants at which a unit was, or may have been, a paying subscriber.
private struct Coverage {
    private let services: [Range<Instant>]
    private let bridges: [Range<Instant>]
    private let openGaps: [(start: Instant, wait: CellStanding.Wait)]
    private let implied: [Range<Instant>]

    init(_ unit: PurchaseUnit, _ question: RetentionQuestion) {
        let bridge = question.bridge
        let paid = unit.purchases.filter(\.isPaid)
        services = paid.compactMap(\.service)
        bridges = paid.compactMap { $0.bridgedGap(bridge, in: paid) }
        openGaps = unit.openGaps.compactMap { gap in
            switch (gap.kind, bridge) {
            case (.awaitingRenewal, _): (gap.start, .awaitingRenewal)
            case (.grace, .grace), (.grace, .retry), (.retry, .retry): (gap.start, .openGap)
            default: nil
            }
        }
        implied = unit.implied
    }

    func standing(at s: Instant) -> CellStanding {
        if services.contains(where: { $0.contains(s) }) { return .retained(.service) }
        if bridges.contains(where: { $0.contains(s) }) { return .retained(.bridged) }
        return wait(at: s).map { .pending($0) } ?? .lost
    }

    func wait(at s: Instant) -> CellStanding.Wait? {
        if let gap = openGaps.first(where: { $0.start <= s }) { return gap.wait }
        return implied.contains { $0.contains(s) } ? .impliedPeriod : nil
    }
}
