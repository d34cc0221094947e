import Foundation
import LedgerTesting
import Primitives
import Testing

/// The tables of this machine, compared with another reader of the tz database: that of Foundation.
@Suite struct `A time zone table` {
    /// Zones with half hours, without summer time, with summer time in winter, with days that were skipped, and with
    /// changes at midnight.
    private static let names = [
        "America/Los_Angeles", "Europe/Berlin", "Europe/Dublin", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo",
        "Australia/Lord_Howe", "America/Sao_Paulo", "America/Havana", "Pacific/Apia", "Pacific/Chatham", "Etc/GMT+5",
    ]

    private func table(_ name: String) throws -> TimeZoneTable {
        let bytes = try #require(FileManager.default.contents(atPath: "/usr/share/zoneinfo/" + name))
        return try #require(TimeZoneTable(name: name, tzif: Array(bytes)))
    }

    @Test(arguments: names) func `has the offset of every instant`(name: String) throws {
        let table = try table(name)
        let zone = try #require(TimeZone(identifier: name))
        // From 1970 to 2100, every 31 hours.
        for hour in stride(from: Int64(0), to: 1_139_000, by: 31) {
            let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(hour * 3_600)))
            let instant = Instant(milliseconds: hour * Instant.millisecondsPerHour)
            #expect(table.offset(at: instant) == Int64(expected), "\(name) at \(instant)")
        }
    }

    @Test(arguments: names) func `begins each day at the first instant that shows it`(name: String) throws {
        let table = try table(name)
        var previous = table.start(ofDay: 0)
        for day: Int64 in 1...40_000 {
            let start = table.start(ofDay: day)
            #expect(previous <= start)
            #expect(table.date(of: start).daysSinceEpoch >= day, "\(name), day \(day)")
            #expect(
                table.date(of: start.advanced(byMilliseconds: -1)).daysSinceEpoch < day || start == previous,
                "\(name), day \(day)")
            previous = start
        }
    }

    @Test func `knows the edges by hand`() throws {
        let angeles = try table("America/Los_Angeles")
        #expect(angeles.start(ofDay: 20_120) == Instant(iso8601: "2025-02-01T08:00:00Z"))
        #expect(angeles.offset(at: Instant(milliseconds: 1_741_514_399_999)) == -28_800)
        #expect(angeles.offset(at: Instant(milliseconds: 1_741_514_400_000)) == -25_200)
        // Apia went from 29 to 31 December 2011.
        let apia = try table("Pacific/Apia")
        #expect(apia.start(ofDay: 15_338) == apia.start(ofDay: 15_339))
        #expect(TimeZoneTable.utc.start(ofDay: 20_120) == Instant(iso8601: "2025-02-01"))
    }

    @Test func `is not read from other bytes`() throws {
        let bytes = Array(try #require(FileManager.default.contents(atPath: "/usr/share/zoneinfo/Europe/Berlin")))
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(TimeZoneTable(name: "a", tzif: Array(bytes.prefix(count))) == nil)
        }
        var generator = SeededRandom(seed: TestEnvironment.seed)
        for _ in 0..<2_000 {
            var damaged = bytes
            damaged[Int(generator.next() % UInt64(bytes.count))] ^= UInt8(truncatingIfNeeded: generator.next() | 1)
            // Whatever is read gives an offset, and no trap.
            _ = TimeZoneTable(name: "a", tzif: damaged)?.offset(at: .latest)
        }
    }

    @Test(arguments: ["", "/etc/passwd", "../etc/passwd", "Europe/../Berlin", "Mars Base", "Ätna"])
    func `has no name that leaves the database`(name: String) {
        #expect(!TimeZoneTable.isName(name))
    }
}
