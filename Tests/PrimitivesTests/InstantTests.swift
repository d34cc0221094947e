import AppStoreSimulation
import LedgerTesting
import Primitives
import Testing

@Suite("Instant")
struct InstantTests {
    /// Computed with another calendar implementation. The last days of February test the leap years: of the centuries,
    /// only those divisible by 400 have a 29 February, and so has the year 0.
    static let table: [(milliseconds: Int64, text: String)] = [
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (-62_162_121_600_000, "0000-02-29T00:00:00.000Z"),
        (-62_135_596_800_001, "0000-12-31T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        (-62_035_891_200_000, "0004-02-29T00:00:00.000Z"),
        (-12_220_243_200_000, "1582-10-04T00:00:00.000Z"),
        (-12_219_292_800_000, "1582-10-15T00:00:00.000Z"),
        (-11_670_955_200_000, "1600-02-29T12:00:00.000Z"),
        (-2_208_988_800_001, "1899-12-31T23:59:59.999Z"),
        (-2_203_891_200_001, "1900-02-28T23:59:59.999Z"),
        (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (0, "1970-01-01T00:00:00.000Z"),
        (68_169_600_000, "1972-02-29T00:00:00.000Z"),
        (946_684_799_999, "1999-12-31T23:59:59.999Z"),
        (946_684_800_000, "2000-01-01T00:00:00.000Z"),
        (951_805_815_250, "2000-02-29T06:30:15.250Z"),
        (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (1_709_251_199_001, "2024-02-29T23:59:59.001Z"),
        (1_759_295_318_835, "2025-10-01T05:08:38.835Z"),
        (2_147_483_648_000, "2038-01-19T03:14:08.000Z"),
        (4_107_456_000_000, "2100-02-28T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (13_574_563_200_000, "2400-02-29T00:00:00.000Z"),
        (253_370_764_800_000, "9999-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ]

    @Test(arguments: table)
    func `an instant prints as the table says, and reads back`(milliseconds: Int64, text: String) {
        #expect(Instant(milliseconds: milliseconds).iso8601 == text)
        #expect(Instant(iso8601: text)?.milliseconds == milliseconds)
    }

    @Test func `every day from year 0 to 9999 is the day after the one before`() {
        var day: Int64 = -719_528
        for year: Int64 in 0...9_999 {
            let hasLeapDay = year.isMultiple(of: 400) || (year.isMultiple(of: 4) && !year.isMultiple(of: 100))
            for month: Int64 in 1...12 {
                let length: Int64 =
                    switch month {
                    case 2: hasLeapDay ? 29 : 28
                    case 4, 6, 9, 11: 30
                    default: 31
                    }
                for dayOfMonth in 1...length {
                    let date = CivilDate(daysSinceEpoch: day)
                    guard date.year == year, date.month == month, date.day == dayOfMonth, date.daysSinceEpoch == day
                    else {
                        Issue.record("day \(day) is \(date), not \(year)-\(month)-\(dayOfMonth)")
                        return
                    }
                    day += 1
                }
                #expect(CivilDate(year: year, month: month, day: length + 1) == nil)
            }
        }
        #expect(day * Instant.millisecondsPerDay == 253_402_300_800_000)
    }

    @Test func `any instant of the range reads back from what it prints`() {
        var random = SeededGenerator(seed: TestEnvironment.seed)
        for _ in 0..<20_000 {
            let instant = Instant(
                milliseconds: random.number(in: Instant.earliest.milliseconds...Instant.latest.milliseconds))
            #expect(Instant(iso8601: instant.iso8601) == instant, "seed \(TestEnvironment.seed)")
        }
    }

    @Test(arguments: [
        ("2024-02-29", "2024-02-29T00:00:00.000Z"),
        ("2024-02-29T12:34:56Z", "2024-02-29T12:34:56.000Z"),
        ("2024-02-29t12:34:56z", "2024-02-29T12:34:56.000Z"),
        ("2024-02-29 12:34:56Z", "2024-02-29T12:34:56.000Z"),
        ("2024-02-29T12:34:56.7Z", "2024-02-29T12:34:56.700Z"),
        ("2024-02-29T12:34:56.078Z", "2024-02-29T12:34:56.078Z"),
        ("2024-02-29T12:34:56.0784Z", "2024-02-29T12:34:56.078Z"),
        ("2024-02-29T12:34:56.0785Z", "2024-02-29T12:34:56.079Z"),
        ("2024-02-29T12:34:56.123456789Z", "2024-02-29T12:34:56.123Z"),
        ("2024-02-29T23:59:59.9996Z", "2024-03-01T00:00:00.000Z"),
        ("2024-02-29T12:34:56+00:00", "2024-02-29T12:34:56.000Z"),
        ("2024-02-29T12:34:56-00:00", "2024-02-29T12:34:56.000Z"),
        ("2024-02-29T12:34:56+02:00", "2024-02-29T10:34:56.000Z"),
        ("2024-02-29T12:34:56-05:30", "2024-02-29T18:04:56.000Z"),
        ("2024-02-29T23:30:00-01:00", "2024-03-01T00:30:00.000Z"),
        ("2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00.000Z"),
        ("0000-01-01T01:00:00+01:00", "0000-01-01T00:00:00.000Z"),
    ])
    func `fractions and offsets are read`(text: String, utc: String) throws {
        #expect(try #require(Instant(iso8601: text)).iso8601 == utc)
    }

    @Test(arguments: [
        "", "2024", "2024-02", "2024-2-29", "24-02-29", "2024-02-30", "2023-02-29", "1900-02-29", "2024-00-10",
        "2024-13-10", "2024-04-31", "2024-02-00", "10000-01-01", "-001-01-01", "2024/02/29", "2024-02-29T",
        "2024-02-29T12:34Z", "2024-02-29T12:34:56", "2024-02-29T24:00:00Z", "2024-02-29T12:60:00Z",
        "2024-02-29T12:34:60Z", "2024-02-29T12:34:56.Z", "2024-02-29T12:34:56.1234567890Z", "2024-02-29T12:34:56,5Z",
        "2024-02-29T12:34:56+0200", "2024-02-29T12:34:56+02", "2024-02-29T12:34:56+24:00", "2024-02-29T12:34:56+02:60",
        "2024-02-29T12:34:56Z ", " 2024-02-29", "2024-02-29Z", "２０２４-02-29", "2024-02-29T12:34:56ZZ",
        "0000-01-01T00:59:59.999+01:00", "9999-12-31T23:59:59.9995Z", "9999-12-31T23:59:59-00:01",
    ])
    func `what is no instant of the years 0000 to 9999 is refused`(text: String) {
        #expect(Instant(iso8601: text) == nil)
    }

    @Test(arguments: [
        (Int64.min, "0000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "0000-01-01T00:00:00.000Z"),
        (253_402_300_800_000, "9999-12-31T23:59:59.999Z"), (Int64.max, "9999-12-31T23:59:59.999Z"),
    ])
    func `an instant beyond the range prints as the nearest within`(milliseconds: Int64, text: String) {
        #expect(Instant(milliseconds: milliseconds).iso8601 == text)
    }

    @Test func `advancing stops at the ends of the integers`() {
        #expect(Instant(milliseconds: .max).advanced(byMilliseconds: 1).milliseconds == .max)
        #expect(Instant(milliseconds: .min).advanced(byMilliseconds: -1).milliseconds == .min)
        #expect(Instant(milliseconds: 5).advanced(byMilliseconds: -7).milliseconds == -2)
    }
}
