import LedgerModel
import Primitives

/// Durations that Apple documents or that signed data exhibits.
enum Durations {
    /// https://developer.apple.com/help/app-store-connect/manage-subscriptions/enable-billing-grace-period-for-auto-renewable-subscriptions
    static let longestGraceDays = 28
    /// Apple retries a failed charge for 60 days.
    static let billingRetryDays = 60
    static let billingRetryDaysOutsideProduction = 1
    static let leewayMinutesOutsideProduction = 5
    /// The longest gap before a renewal that counts as on time.
    static let longestGapMinutes = 60

    /// Returns the latest end of billing retry. Outside Production, Apple retries for minutes and may not sign the end
    /// of the retry.
    static func retryEnd(_ end: Instant, isProduction: Bool) -> Instant {
        end.advanced(byDays: isProduction ? billingRetryDays : billingRetryDaysOutsideProduction)
    }

    /// Returns the end of the wait for a renewal. Outside Production, periods last minutes, so the leeway is shorter.
    static func leewayEnd(
        of period: Period, endingAt end: Instant, _ rules: Rules.Access, isProduction: Bool
    ) -> Instant {
        let byRules = end.advanced(byMinutes: rules.renewalLeewayMinutes)
        guard !isProduction else { return byRules }
        let (length, overflow) = end.milliseconds.subtractingReportingOverflow(period.start.milliseconds)
        let tenth = end.advanced(byMilliseconds: overflow ? .max : max(0, length / 10))
        return min(byRules, tenth, end.advanced(byMinutes: leewayMinutesOutsideProduction))
    }
}

extension StatusContext {
    func retryEnd(_ end: Instant) -> Instant {
        Durations.retryEnd(end, isProduction: isProduction)
    }

    func leewayEnd(of period: Period, endingAt end: Instant) -> Instant {
        Durations.leewayEnd(of: period, endingAt: end, rules, isProduction: isProduction)
    }
}

extension Instant {
    func advanced(byMinutes minutes: Int) -> Instant {
        advanced(by: minutes, Self.millisecondsPerMinute)
    }

    func advanced(byDays days: Int) -> Instant {
        advanced(by: days, Self.millisecondsPerDay)
    }

    private func advanced(by count: Int, _ unit: Int64) -> Instant {
        let (interval, overflow) = Int64(count).multipliedReportingOverflow(by: unit)
        return advanced(byMilliseconds: overflow ? (count > 0 ? .max : .min) : interval)
    }
}
