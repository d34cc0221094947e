import AppStoreModel
package import LedgerModel
package import Primitives

extension Sequence<Lineage> {
    /// Returns every instant at which a row of `states` may change. No row changes between two of them.
    package func turningPoints(rules: Rules) -> [Instant] {
        flatMap(\.subscriptions).flatMap { $0.turningPoints(of: $0.listedPeriods, rules: rules.access) }
    }
}

extension Subscription {
    /// Returns every instant up to `t` at which an input of a rule in this folder changes, ascending.
    func turningPoints(of periods: [Period], until t: Instant, rules: Rules.Access) -> [Instant] {
        turningPoints(of: periods, rules: rules).filter { $0 <= t }.sorted()
    }

    fileprivate func turningPoints(of periods: [Period], rules: Rules.Access) -> Set<Instant> {
        var instants = Set(renewalInfoTimes)
        for period in periods {
            period.addTurningPoints(to: &instants, rules, isProduction: key.environment == .production)
        }
        instants.formUnion(notifications.map(\.source.time))
        return instants
    }
}

extension Period {
    fileprivate func addTurningPoints(to instants: inout Set<Instant>, _ rules: Rules.Access, isProduction: Bool) {
        instants.insert(start)
        instants.formUnion(sources.lazy.map(\.time))
        for revocation in revocations {
            instants.insert(revocation.start)
            if let end = revocation.end { instants.insert(end) }
        }
        if let replacement { instants.insert(replacement.start) }
        for step in expiresDate.steps {
            instants.insert(step.source.time)
            instants.insert(step.value)
            // Superfluous instants are harmless.
            instants.formUnion(Durations.deadlines(after: step.value, of: self, rules, isProduction: isProduction))
        }
        for renewalInfo in renewalInfos {
            if let expires = renewalInfo.value.gracePeriodExpiresDate { instants.insert(expires) }
        }
        for status in signedStatuses { instants.insert(status.time) }
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
