import AppStoreSimulation
import Primitives
import Testing

@Suite("Subscription period")
struct SubscriptionPeriodTests {
    @Test(arguments: [
        (SubscriptionPeriod(3, .day), "2025-02-27T10:20:30.456Z", "2025-03-02T10:20:30.456Z"),
        (SubscriptionPeriod(2, .week), "2025-02-27", "2025-03-13"),
        (SubscriptionPeriod(1, .month), "2025-01-31", "2025-02-28"),
        (SubscriptionPeriod(1, .month), "2024-01-31", "2024-02-29"),
        (SubscriptionPeriod(1, .month), "2025-12-15T23:59:59Z", "2026-01-15T23:59:59Z"),
        (SubscriptionPeriod(6, .month), "2025-08-31", "2026-02-28"),
        (SubscriptionPeriod(1, .year), "2024-02-29", "2025-02-28"),
        (SubscriptionPeriod(1, .month), "1969-12-31T12:00:00Z", "1970-01-31T12:00:00Z"),
    ])
    func `a period ends on the same day, or the last there is`(
        period: SubscriptionPeriod, start: String, end: String
    ) throws {
        let start = try #require(Instant(iso8601: start))
        #expect(period.end(from: start) == Instant(iso8601: end))
    }

    @Test func `periods are written in ISO 8601`() {
        #expect(SubscriptionPeriod(3, .day).iso8601 == "P3D")
        #expect(SubscriptionPeriod(1, .month).times(3).iso8601 == "P3M")
    }
}
