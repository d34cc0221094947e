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
        lazy.flatMap(\.subscriptions)
            .compactMap { subscription in
                subscription.unorderedTurningPoints(of: subscription.listedPeriods, rules: rules.access)
                    .lazy.filter { $0 > t }.min()
            }
            .min()
    }
}

extension Subscription {
    /// Returns every instant up to `t` at which an input of a rule in this folder changes, ascending.
    func turningPoints(of periods: [Period], until t: Instant, rules: Rules.Access) -> [Instant] {
        let instants = turningPoints(of: periods, rules: rules)
        return Array(instants[..<instants.partitioningIndex { $0 > t }])
    }

    fileprivate func turningPoints(of periods: [Period], rules: Rules.Access) -> [Instant] {
        var distinct: [Instant] = []
        for instant in unorderedTurningPoints(of: periods, rules: rules).sorted() where instant != distinct.last {
            distinct.append(instant)
        }
        return distinct
    }

    /// Returns the turning points in no order; an instant may occur more than once.
    fileprivate func unorderedTurningPoints(of periods: [Period], rules: Rules.Access) -> [Instant] {
        var instants = renewalInfoTimes
        for notification in notifications { instants.append(notification.source.time) }
        for period in periods {
            period.addTurningPoints(
                to: &instants, rules, isProduction: key.environment == .production,
                endOfForce: periods.endOfForce(of: period))
        }
        return instants
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
    fileprivate func addTurningPoints(
        to instants: inout [Instant], _ rules: Rules.Access, isProduction: Bool, endOfForce: Instant
    ) {
        instants.append(start)
        for source in sources { instants.append(source.time) }
        for revocation in revocations {
            instants.append(revocation.start)
            if let end = revocation.end { instants.append(end) }
        }
        if let replacement { instants.append(replacement.start) }
        for (stated, end) in statedEnds {
            instants.append(stated)
            instants.append(end)
            // Superfluous instants are harmless.
            for deadline in Durations.deadlines(after: end, of: self, rules, isProduction: isProduction)
            where deadline <= endOfForce {
                instants.append(deadline)
            }
        }
        instants += gracePeriodEnds
        for status in signedStatuses { instants.append(status.time) }
    }
}

extension Durations {
    /// Returns the instants after the end of a period at which time alone changes an answer.
    fileprivate static func deadlines(
        after end: Instant, of period: Period, _ rules: Rules.Access, isProduction: Bool
    ) -> [Instant] {
        let ownGrace = end.advanced(byDays: rules.ownGraceDays)
        return [
            leewayEnd(of: period, endingAt: end, rules, isProduction: isProduction),
            end.advanced(byDays: longestGraceDays),
            retryEnd(end, isProduction: isProduction),
            ownGrace,
            ownGrace.advanced(byDays: rules.limitedAccessDays),
        ]
    }
}
