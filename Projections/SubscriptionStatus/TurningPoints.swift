import AppStoreModel
package import LedgerModel
package import Primitives

extension [Lineage] {
    /// Returns every instant at which a row of `states` may change. No row changes between two of them.
    package func turningPoints(rules: Rules) -> [Instant] {
        flatMap(\.subscriptions).flatMap { $0.turningPoints(of: $0.listedPeriods, rules: rules.access) }
    }

    /// Returns the first instant after `t` at which a row of `states` may change; nil when none may.
    func nextTurningPoint(after t: Instant, rules: Rules) -> Instant? {
        var next: Instant?
        for lineage in self {
            for subscription in lineage.subscriptions {
                subscription.forEachTurningPoint(of: subscription.listedPeriods, rules: rules.access) { instant in
                    if instant > t, next.map({ instant < $0 }) ?? true { next = instant }
                }
            }
        }
        return next
    }
}

extension Subscription {
    /// Returns every instant up to `t` at which an input of a rule in this folder changes, ascending.
    func turningPoints(of periods: [Period], until t: Instant, rules: Rules.Access) -> [Instant] {
        let instants = turningPoints(of: periods, rules: rules)
        return Array(instants[..<instants.partitioningIndex { $0 > t }])
    }

    fileprivate func turningPoints(of periods: [Period], rules: Rules.Access) -> [Instant] {
        var instants: [Instant] = []
        forEachTurningPoint(of: periods, rules: rules) { instants.append($0) }
        instants.sort()
        var distinct: [Instant] = []
        for instant in instants where instant != distinct.last { distinct.append(instant) }
        return distinct
    }

    /// Calls `body` with the turning points in no order, and with some more than once.
    fileprivate func forEachTurningPoint(of periods: [Period], rules: Rules.Access, _ body: (Instant) -> Void) {
        for instant in renewalInfoTimes { body(instant) }
        for notification in notifications { body(notification.source.time) }
        let isProduction = key.environment == .production
        for period in periods {
            let endOfForce = periods.endOfForce(of: period)
            period.forEachTurningPoint(rules, isProduction: isProduction, endOfForce: endOfForce, body)
        }
    }
}

extension [Period] {
    /// Returns an instant from which the period is not in force: the start of a purchase more than 24 hours after it.
    /// - Complexity: O(log n) for n periods.
    fileprivate func endOfForce(of period: Period) -> Instant {
        let window = period.start.advanced(byMilliseconds: Subscription.earlyChargeMilliseconds)
        let next = partitioningIndex { $0.start > window }
        return next < endIndex ? self[next].start : Instant(milliseconds: .max)
    }
}

extension Period {
    /// - Parameter endOfForce: an instant from which the deadlines of this period decide nothing.
    fileprivate func forEachTurningPoint(
        _ rules: Rules.Access, isProduction: Bool, endOfForce: Instant, _ body: (Instant) -> Void
    ) {
        body(start)
        forEachStatementTime(body)
        for revocation in revocations {
            body(revocation.start)
            if let end = revocation.end { body(end) }
        }
        if let replacement { body(replacement.start) }
        forEachStatedEnd { stated, end in
            body(stated)
            body(end)
            // Superfluous instants are harmless.
            Durations.forEachDeadline(after: end, of: self, rules, isProduction: isProduction) { deadline in
                if deadline <= endOfForce { body(deadline) }
            }
        }
        for end in gracePeriodEnds { body(end) }
        for status in signedStatuses { body(status.time) }
    }
}

extension Durations {
    /// Calls `body` with the instants after the end of a period at which time alone changes an answer.
    fileprivate static func forEachDeadline(
        after end: Instant, of period: Period, _ rules: Rules.Access, isProduction: Bool, _ body: (Instant) -> Void
    ) {
        let ownGrace = end.advanced(byDays: rules.ownGraceDays)
        body(leewayEnd(of: period, endingAt: end, rules, isProduction: isProduction))
        body(end.advanced(byDays: longestGraceDays))
        body(retryEnd(end, isProduction: isProduction))
        body(ownGrace)
        body(ownGrace.advanced(byDays: rules.limitedAccessDays))
    }
}
