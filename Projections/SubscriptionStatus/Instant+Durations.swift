import Primitives

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
