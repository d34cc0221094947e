import LedgerConfiguration
import Primitives
import Testing

@Suite struct ExportSettingsTests {
    @Test func `an export has defaults for all but its place and its time`() throws {
        let settings = try Settings(yaml: #"exports: [{to: exports, dailyAt: "03:05"}]"#, file: "f")
        let export = try #require(settings.exports.first)
        #expect(export.name == "export-1" && export.destination == "exports" && export.tables.isEmpty)
        #expect(export.format == nil && export.schedule.time == "03:05" && export.schedule.zone.name == "UTC")
        #expect(export.environments == ["Production"] && export.bundleIds.isEmpty && export.currency == nil)
    }

    @Test func `an export may name all`() throws {
        let yaml = """
            exports:
              - {name: warehouse, to: "postgres://ledger@db/warehouse", tables: [periods, charges], as: csv,
                 dailyAt: 23:59, zone: America/Los_Angeles, environments: [Production, Sandbox],
                 bundleIds: [com.example.app], currency: EUR}
              - {to: /srv/exports, dailyAt: "00:00"}
            """
        let exports = try Settings(yaml: yaml, file: "f").exports
        #expect(exports.map(\.name) == ["warehouse", "export-2"])
        #expect(exports[0].tables.map(\.text) == ["periods", "charges"] && exports[0].format == .csv)
        #expect(exports[0].schedule.minutes == 1_439 && exports[0].schedule.zone.name == "America/Los_Angeles")
        #expect(exports[0].environments == ["Production", "Sandbox"] && exports[0].bundleIds == ["com.example.app"])
        #expect(exports[0].currency == "EUR" && exports.map(\.destination)[1] == "/srv/exports")
    }

    @Test(
        arguments: [
            BadSettings("exports: {}", at: "1:10", "a list"),
            BadSettings("exports: [{to: x}]", at: "1:11", "dailyAt"),
            BadSettings("exports: [{dailyAt: \"03:00\"}]", at: "1:11", "to"),
            BadSettings("exports: [{to: x, dailyAt: 3}]", at: "1:28", "a time such as \"03:00\""),
            BadSettings("exports: [{to: x, dailyAt: \"24:00\"}]", at: "1:28", "a time such as \"03:00\""),
            BadSettings("exports: [{to: x, dailyAt: \"3:00\"}]", at: "1:28", "a time such as \"03:00\""),
            BadSettings("exports: [{to: x, dailyAt: \"+3:00\"}]", at: "1:28", "a time such as \"03:00\""),
            BadSettings("exports: [{to: x, dailyAt: \"03:00\", zone: Mars}]", at: "1:43", "a time zone"),
            BadSettings("exports: [{to: x, dailyAt: \"03:00\", as: xml}]", at: "1:41", "one of parquet, csv, jsonl"),
            BadSettings("exports: [{to: \"postgres://h/w\", dailyAt: \"03:00\", as: jsonl}]", at: "1:56", "csv"),
            BadSettings("exports: [{to: x, dailyAt: \"03:00\", name: A}]", at: "1:43", "lower-case"),
            BadSettings("exports: [{to: x, dailyAt: \"03:00\", name: ../x}]", at: "1:43", "lower-case"),
            BadSettings("exports: [{to: x, dailyAt: \"03:00\", currency: euro}]", at: "1:47", "ISO 4217"),
            BadSettings("exports: [{to: x, dailyAt: \"03:00\", environments: []}]", at: "1:51", "at least one"),
            BadSettings("exports: [{to: x, dailyAt: \"03:00\", environments: [Test]}]", at: "1:52", "Production"),
            BadSettings("exports: [{to: x, dailyAt: \"03:00\", weekly: true}]", at: "1:37", "weekly is unknown"),
            BadSettings(
                "exports:\n  - {to: x, dailyAt: \"03:00\", name: a}\n  - {to: y, dailyAt: \"03:00\", name: a}",
                at: "3:37",
                "a unique name"),
        ])
    func `a bad value is refused where it stands`(_ bad: BadSettings) {
        bad.expectRefusal()
    }

    private static func instant(_ text: String) throws -> Instant { try #require(Instant(iso8601: text)) }

    /// Zones whose clocks change, with the instants of a schedule around the change.
    @Test(
        arguments: [
            // 02:30 is skipped on March 8, and shown twice on November 1.
            (
                "America/New_York", 150,
                ["2026-03-07T07:30:00.000Z", "2026-03-08T07:00:00.000Z", "2026-03-09T06:30:00.000Z"]
            ),
            (
                "America/New_York", 90,
                ["2026-10-31T05:30:00.000Z", "2026-11-01T05:30:00.000Z", "2026-11-02T06:30:00.000Z"]
            ),
            ("Asia/Kathmandu", 0, ["2026-01-01T18:15:00.000Z", "2026-01-02T18:15:00.000Z"]),
            ("Pacific/Kiritimati", 1_439, ["2026-01-01T09:59:00.000Z", "2026-01-02T09:59:00.000Z"]),
            ("Pacific/Pago_Pago", 0, ["2026-01-01T11:00:00.000Z", "2026-01-02T11:00:00.000Z"]),
            // December 30, 2011 does not exist.
            (
                "Pacific/Apia", 180,
                ["2011-12-29T13:00:00.000Z", "2011-12-30T10:00:00.000Z", "2011-12-30T13:00:00.000Z"]
            ),
        ])
    func `a schedule has an instant each day`(_ zone: String, _ minutes: Int64, _ texts: [String]) throws {
        let schedule = DailySchedule(minutes: minutes, zone: try TimeZoneDatabase.table(named: zone))
        let instants = try texts.map(Self.instant)
        for (slot, next) in zip(instants, instants.dropFirst()) {
            #expect(schedule.next(after: slot) == next)
            #expect(schedule.last(at: next.advanced(byMilliseconds: -1)) == slot)
            #expect(schedule.last(at: slot) == slot)
        }
    }

    @Test(arguments: ["UTC", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"])
    func `a schedule never goes back`(_ zone: String) throws {
        let table = try TimeZoneDatabase.table(named: zone)
        for minutes in [0, 30, 119, 150, 1_439] as [Int64] {
            let schedule = DailySchedule(minutes: minutes, zone: table)
            var slot = schedule.last(at: try Self.instant("2010-01-01T00:00:00.000Z"))
            for _ in 0..<1_000 {
                let next = schedule.next(after: slot)
                #expect(next > slot && schedule.last(at: next.advanced(byMilliseconds: -1)) == slot)
                #expect(next.milliseconds - slot.milliseconds <= 2 * Instant.millisecondsPerDay)
                slot = next
            }
        }
    }
}
