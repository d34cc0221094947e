package import LedgerModel
package import PaidService
package import Primitives

/// The days of paid service that a subscriber accumulated, after which Apple takes a smaller commission.
/// https://developer.apple.com/app-store/subscriptions/#revenue-after-one-year
package struct PaidDays: Sendable {
    private let purchases: [SubscriptionPurchase]
    private let rules: Rules.Revenue
    /// The service as of the instant of the unit. It is that of every earlier instant unless a purchase was revoked.
    private let service: PaidService

    /// - Parameter unit: its service without extensions counts, and the gaps that Apple's grace period bridged.
    package init(_ unit: PurchaseUnit, _ rules: Rules.Revenue) {
        (purchases, self.rules) = (unit.purchases, rules)
        service = PaidService(unit.purchases, asOf: unit.asOf, rules)
    }

    /// Returns the paid days up to an instant, rounded to the nearest day. A revocation that begins later changes
    /// nothing.
    /// - Complexity: O(n) for n purchases.
    package func count(at t: Instant) -> Int64 {
        guard purchases.contains(where: { !$0.revocations.isEmpty }) else { return service.days(until: t) }
        return PaidService(purchases, asOf: t, rules).days(until: t)
    }
}

/// The service of a unit's purchases.
private struct PaidService: Sendable {
    /// The paid service, disjoint and ascending, with the length of all ranges before each in milliseconds.
    private let paid: [(range: Range<Instant>, before: Int64)]
    /// All service, free ones included, disjoint and ascending.
    private let served: [Range<Instant>]
    private let longestGap: Int64

    /// - Parameter t: the instant whose revocations count.
    init(_ purchases: [SubscriptionPurchase], asOf t: Instant, _ rules: Rules.Revenue) {
        let paidPurchases = purchases.filter(\.isPaid)
        let bridges = paidPurchases.compactMap { $0.bridgedGap(.grace, in: paidPurchases) }
        var before: Int64 = 0
        paid = (paidPurchases.compactMap { $0.chargedService(asOf: t) } + bridges).joined().map { range in
            defer { before += range.milliseconds }
            return (range, before)
        }
        served = (purchases.compactMap { $0.service(asOf: t) } + bridges).joined()
        longestGap = Int64(rules.gapResetsAfterDays) * Instant.millisecondsPerDay
    }

    func days(until t: Instant) -> Int64 {
        let begun = served.prefix { $0.lowerBound <= t }
        var start = begun.first?.lowerBound ?? t
        for (range, next) in zip(begun, begun.dropFirst()) where isLapse(from: range.upperBound, to: next.lowerBound) {
            start = next.lowerBound
        }
        if let last = begun.last, isLapse(from: last.upperBound, to: t) { return 0 }
        let milliseconds = paidMilliseconds(until: t) - paidMilliseconds(until: start)
        return (milliseconds + Instant.millisecondsPerDay / 2) / Instant.millisecondsPerDay
    }

    private func isLapse(from end: Instant, to start: Instant) -> Bool {
        end.advanced(byMilliseconds: longestGap) < start
    }

    private func paidMilliseconds(until t: Instant) -> Int64 {
        guard let last = paid.last(where: { $0.range.lowerBound < t }) else { return 0 }
        return last.before + (last.range.lowerBound..<min(last.range.upperBound, t)).milliseconds
    }
}

extension Range<Instant> {
    fileprivate var milliseconds: Int64 { upperBound.milliseconds - lowerBound.milliseconds }
}

extension [Range<Instant>] {
    /// The union of the ranges, as disjoint ranges in ascending order.
    fileprivate func joined() -> [Range<Instant>] {
        var joined: [Range<Instant>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}
