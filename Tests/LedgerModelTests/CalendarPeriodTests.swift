import LedgerModel
import Primitives
import Testing

@Suite struct `A calendar period` {
    @Test(arguments: [
        // 2024 is a leap year, 2026 and 2100 are not.
        ("2026-01-31T10:00:00Z", "P1M", 1, "2026-02-28T10:00:00.000Z"),
        ("2026-01-31T10:00:00Z", "P1M", 2, "2026-03-31T10:00:00.000Z"),
        ("2024-01-31T23:59:59.999Z", "P1M", 1, "2024-02-29T23:59:59.999Z"),
        ("2024-02-29T00:00:00Z", "P1Y", 1, "2025-02-28T00:00:00.000Z"),
        ("2024-02-29T00:00:00Z", "P1Y", 4, "2028-02-29T00:00:00.000Z"),
        ("2026-11-30T12:00:00Z", "P3M", 1, "2027-02-28T12:00:00.000Z"),
        ("2026-03-31T12:00:00Z", "P1M", -1, "2026-02-28T12:00:00.000Z"),
        ("2026-01-01T00:00:00Z", "P6M", -1, "2025-07-01T00:00:00.000Z"),
        ("2026-12-25T06:00:00Z", "P1W", 2, "2027-01-08T06:00:00.000Z"),
        ("2026-03-29T00:30:00Z", "P90D", 1, "2026-06-27T00:30:00.000Z"),
        ("2026-05-05T00:00:00Z", "P1M", 0, "2026-05-05T00:00:00.000Z"),
        ("1969-12-31T23:59:59.999Z", "P2M", 1, "1970-02-28T23:59:59.999Z"),
        ("9999-12-31T00:00:00Z", "P1M", 1, "9999-12-31T23:59:59.999Z"),
        ("0000-01-01T00:00:00Z", "P1D", -1, "0000-01-01T00:00:00.000Z"),
    ])
    func `is added from the first instant, in UTC`(_ from: String, _ text: String, _ times: Int, _ to: String) throws {
        let (start, period) = (try #require(Instant(iso8601: from)), try #require(CalendarPeriod(text)))
        #expect(start.advanced(by: period, times: times).iso8601 == to)
    }

    @Test func `is clamped instead of overflowing`() throws {
        let years = CalendarPeriod(999, .year)
        #expect(Instant.latest.advanced(by: years, times: .max) == .latest)
        #expect(Instant.earliest.advanced(by: years, times: .min) == .earliest)
        #expect(Instant(milliseconds: .max).advanced(by: CalendarPeriod(1, .month)) == .latest)
        #expect(Instant(milliseconds: .min).advanced(by: CalendarPeriod(1, .day), times: -1) == .earliest)
    }

    @Test(arguments: ["P1D", "P1W", "P3M", "P999Y"])
    func `has the text that it was read from`(_ text: String) throws {
        #expect(try #require(CalendarPeriod(text)).description == text)
    }

    @Test(arguments: [
        "", "P", "PM", "P0M", "P01M", "P1000D", "1M", "P1H", "PT1M", "P1M2D", "P-1M", "P+1M", "p1m", "P1.5M",
    ])
    func `is nothing else`(_ text: String) {
        #expect(CalendarPeriod(text) == nil)
    }
}
