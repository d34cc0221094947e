import Primitives

/// The days of paid service in one subscription group of one account, which determine Apple's commission.
///
/// Time counts while a charge above zero covers it. Trials, the days of an extension, and the rest of a period after
/// its replacement or prorated refund do not count. A full refund removes the whole period. Grace that ends in recovery
/// counts. The count restarts after more than 60 days without service.
struct PaidService: Sendable {
    enum Event: Sendable {
        case paid(transaction: String, Range<Instant>)
        /// A free period, which counts nothing and is no gap.
        case free(transaction: String, Range<Instant>)
        case replaced(transaction: String, at: Instant)
        /// Refunds the rest of the period from an instant; nil refunds all of it.
        case refunded(transaction: String, from: Instant?)
        case refundReversed(transaction: String)
        case extended(transaction: String, to: Instant)
    }

    /// The longest gap in service, in milliseconds, that does not restart Apple's count.
    static let longestGap = 60 * Instant.millisecondsPerDay

    private var events: [(at: Instant, event: Event)] = []

    mutating func write(_ event: Event, at instant: Instant) {
        events.append((instant, event))
    }

    /// Returns the whole days elapsed by `instant`, from the events known then.
    func days(at instant: Instant) -> Int64 {
        var count: Int64 = 0
        var served: Int64?
        for period in periods(knownAt: instant) where period.start < instant.milliseconds {
            if let lastEnd = served, period.start - lastEnd > Self.longestGap { count = 0 }
            let from = max(period.start, served ?? period.start)
            count += max(0, min(period.countedEnd, instant.milliseconds) - from)
            served = max(served ?? period.end, period.end)
        }
        if let served, instant.milliseconds - served > Self.longestGap { count = 0 }
        return count / Instant.millisecondsPerDay
    }

    /// The ranges in which paid service was given, as known at an instant: paid periods, with their extensions, and grace
    /// that ended in recovery.
    func paidRanges(knownAt instant: Instant) -> [Range<Instant>] {
        periods(knownAt: instant).compactMap { period in
            guard period.start < period.countedEnd else { return nil }
            return Instant(milliseconds: period.start)..<Instant(milliseconds: period.end)
        }
    }

    fileprivate struct Period {
        var start: Int64
        /// The end without the days of extensions.
        var countedEnd: Int64
        var end: Int64
        var refundedFrom: Int64?
    }

    private func periods(knownAt instant: Instant) -> [Period] {
        var periods: [String: Period] = [:]
        for (at, event) in events where at <= instant {
            switch event {
            case .paid(let transaction, let range):
                let end = range.upperBound.milliseconds
                periods[transaction] = Period(start: range.lowerBound.milliseconds, countedEnd: end, end: end)
            case .free(let transaction, let range):
                let start = range.lowerBound.milliseconds
                periods[transaction] = Period(start: start, countedEnd: start, end: range.upperBound.milliseconds)
            case .replaced(let transaction, let instant):
                periods[transaction]?.cut(at: instant.milliseconds)
            case .refunded(let transaction, let from):
                periods[transaction]?.refundedFrom = from?.milliseconds ?? .min
            case .refundReversed(let transaction):
                periods[transaction]?.refundedFrom = nil
            case .extended(let transaction, let end):
                periods[transaction]?.end = end.milliseconds
            }
        }
        return periods.values.compactMap(\.unrefunded).sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }
}

extension PaidService.Period {
    fileprivate mutating func cut(at instant: Int64) {
        end = min(end, instant)
        countedEnd = min(countedEnd, instant)
    }

    /// The part of the period before its refund; nil when nothing is left.
    fileprivate var unrefunded: Self? {
        guard let refundedFrom else { return self }
        guard refundedFrom > start else { return nil }
        var rest = self
        rest.cut(at: refundedFrom)
        return rest
    }
}
