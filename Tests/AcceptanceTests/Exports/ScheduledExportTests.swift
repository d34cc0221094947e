import Exports
import FoundationEssentials
import Glibc
import LedgerConfiguration
import LedgerTesting
import PostgreSQL
import Primitives
import SubscriptionLedger
import Synchronization
import TableFiles
import Testing

@Suite struct `Exports on a schedule` {
    private static let day = Instant.millisecondsPerDay

    /// A schedule with an instant between two deliveries of a ledger on one day.
    private struct Slot {
        let schedule: DailySchedule
        let instant: Instant
        /// The delivery after it.
        let next: Instant

        init(_ ledger: NightlyLedger) throws {
            let dates = ledger.deliveryDates
            let minute = Instant.millisecondsPerMinute
            let index = try #require(
                dates.indices.dropFirst(dates.count / 2).dropLast().first { index in
                    let slot = dates[index].milliseconds / minute * minute + minute
                    return dates[index + 1].milliseconds > slot && dates[index + 1].milliseconds < slot + day / 2
                })
            instant = Instant(milliseconds: dates[index].milliseconds / minute * minute + minute)
            next = dates[index + 1]
            schedule = DailySchedule(minutes: instant.milliseconds % day / minute, zone: .utc)
        }
    }

    private static func export(
        _ name: String, _ schedule: DailySchedule, _ ledger: NightlyLedger,
        to destination: (any ExportDestination)? = nil
    ) async throws -> ScheduledExport {
        let format: TableFileFormat = destination == nil ? .parquet(.snappy) : .csv
        var request = try await ledger.request(format, asOf: .earliest)
        request.asOf = nil
        return ScheduledExport(
            name, schedule, request, to: destination ?? LocalDestination("\(ledger.folder)/\(name)"))
    }

    /// Runs what is due.
    private static func run(
        _ scheduler: ExportScheduler, _ ledger: NightlyLedger, at now: Instant
    ) async throws -> [ExportScheduler.Outcome] {
        ledger.advance(to: now)
        let outcomes = Mutex<[ExportScheduler.Outcome]>([])
        try await scheduler.runDue(at: now) { _, outcome in outcomes.withLock { $0.append(outcome) } }
        return outcomes.withLock { $0 }
    }

    private static func completed(_ outcomes: [ExportScheduler.Outcome]) throws -> CompletedExport {
        guard outcomes.count == 1, case .completed(let export, _) = outcomes[0] else {
            throw UnexpectedOutcome(description: "\(outcomes)")
        }
        return export
    }

    private struct UnexpectedOutcome: Error, CustomStringConvertible { let description: String }

    @Test func `have the same bytes when they run late`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        let slot = try Slot(ledger)
        var next = 0
        try await ledger.deliver(until: slot.instant, from: &next)
        let size = try ledger.reader.size()
        let onTime = try await ExportScheduler(ledger.writer, [Self.export("on-time", slot.schedule, ledger)])
        let first = try Self.completed(await Self.run(onTime, ledger, at: slot.instant))
        try await ledger.deliver(until: slot.next, from: &next)
        #expect(try ledger.reader.size() > size)
        let late = try await ExportScheduler(ledger.writer, [Self.export("late", slot.schedule, ledger)])
        let second = try Self.completed(await Self.run(late, ledger, at: slot.next))
        #expect(try NightlyLedger.files(of: first) == NightlyLedger.files(of: second))
        #expect(try await Self.run(onTime, ledger, at: slot.next).isEmpty)
        // A record that was lost before it was stored: the run is repeated, and finds its files.
        #expect(unlink("\(ledger.dataFolder)/exports/on-time.json") == 0)
        let restarted = try await ExportScheduler(ledger.writer, [Self.export("on-time", slot.schedule, ledger)])
        let repeated = try Self.completed(await Self.run(restarted, ledger, at: slot.next))
        #expect(repeated.existed && repeated.digest == first.digest)
    }

    @Test func `catch up the newest missed instant, and continue the last run`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        let slot = try Slot(ledger)
        var next = 0
        try await ledger.deliver(until: slot.instant, from: &next)
        let before = try await ExportScheduler(ledger.writer, [Self.export("daily", slot.schedule, ledger)])
        let first = try Self.completed(await Self.run(before, ledger, at: slot.instant))
        #expect(first.tables.allSatisfy { $0.mode == .full })
        // The service is away for ten days and a half.
        let now = slot.instant.advanced(byMilliseconds: Self.day * 10 + Self.day / 2)
        try await ledger.deliver(until: now, from: &next)
        let after = try await ExportScheduler(ledger.writer, [Self.export("daily", slot.schedule, ledger)])
        let second = try Self.completed(await Self.run(after, ledger, at: now))
        #expect(second.tables.allSatisfy { $0.mode == .delta })
        let tenth = slot.instant.advanced(byMilliseconds: Self.day * 10)
        #expect(
            after.statuses[0].record.completed?.slot == tenth && second.manifestPath.contains("\(tenth.milliseconds)"))
        #expect(try await Self.run(after, ledger, at: now).isEmpty)
        let folders = try FileManager.default.contentsOfDirectory(atPath: ledger.folder + "/daily")
        #expect(folders.count == 2)
        // Other options export everything, and so does a base that somebody removed.
        var request = try await ledger.request(.csv, asOf: .earliest)
        request.asOf = nil
        let other = ExportScheduler(
            ledger.writer,
            [ScheduledExport("daily", slot.schedule, request, to: LocalDestination(ledger.folder + "/daily"))])
        let third = try Self.completed(await Self.run(other, ledger, at: now.advanced(byMilliseconds: Self.day)))
        #expect(third.tables.allSatisfy { $0.mode == .full })
        #expect(unlink(third.manifestPath) == 0)
        let fourth = try Self.completed(await Self.run(other, ledger, at: now.advanced(byMilliseconds: Self.day * 2)))
        #expect(fourth.tables.allSatisfy { $0.mode == .full })
    }

    @Test func `have everything where the last run is no base any more`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        let slot = try Slot(ledger)
        var next = 0
        try await ledger.deliver(until: slot.instant, from: &next)
        let export = try await Self.export("restored", slot.schedule, ledger)
        let first = try Self.completed(
            await Self.run(ExportScheduler(ledger.writer, [export]), ledger, at: slot.instant))
        // The ledger was restored from a backup, and has other events since.
        let manifest = String(decoding: try File.read(first.manifestPath), as: UTF8.self)
            .replacing(/"treeRoot":"[^"]*"/, with: #""treeRoot":"\#(String(repeating: "0", count: 64))""#)
        try File.write(Array(manifest.utf8), to: first.manifestPath)
        let record = ledger.dataFolder + "/exports/restored.json"
        let changed = String(decoding: try File.read(record), as: UTF8.self)
            .replacing(first.digest.hex, with: Digest.sha256(of: Array(manifest.utf8)).hex)
        try File.write(Array(changed.utf8), to: record)
        let second = try Self.completed(
            await Self.run(
                ExportScheduler(ledger.writer, [export]), ledger, at: slot.instant.advanced(byMilliseconds: Self.day)))
        #expect(!second.existed && second.tables.allSatisfy { $0.mode == .full })
    }

    @Test func `are repeated after a failure, with pauses`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        let slot = try Slot(ledger)
        var next = 0
        try await ledger.deliver(until: slot.instant, from: &next)
        // A file is where the folder should be.
        try File.write([], to: ledger.folder + "/failing")
        let scheduler = try await ExportScheduler(ledger.writer, [Self.export("failing", slot.schedule, ledger)])
        var (now, attempts, isFirst) = (slot.instant, 0, [Bool]())
        for _ in 0..<240 {
            for outcome in try await Self.run(scheduler, ledger, at: now) {
                guard case .failed(let failure, let first) = outcome else {
                    throw UnexpectedOutcome(description: "\(outcome)")
                }
                attempts += 1
                isFirst.append(first)
                #expect(failure.code == "io_error" && failure.attempts == attempts)
            }
            now = now.advanced(byMilliseconds: Instant.millisecondsPerMinute)
        }
        // After 0, 1, 3, 7, 15, 31, 63, 123 and 183 minutes.
        #expect(isFirst == [true] + [Bool](repeating: false, count: 8))
        #expect(scheduler.statuses[0].failures == ["io_error": 9])
        let stored = ScheduleRecord(of: "failing", in: ledger.writer.configuration.folder)
        #expect(stored.failed?.attempts == 9 && stored.completed == nil)
        #expect(unlink(ledger.folder + "/failing") == 0)
        let export = try Self.completed(
            await Self.run(scheduler, ledger, at: now.advanced(byMilliseconds: Instant.millisecondsPerHour)))
        #expect(!export.existed && scheduler.statuses[0].record.failed == nil)
    }

    @Test func `load into a database, and leave alone what is newer`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        let slot = try Slot(ledger)
        let database = try await blocking { try PostgresDatabase() }
        let address = try #require(PostgresAddress(database.address()))
        var next = 0
        try await ledger.deliver(until: slot.instant, from: &next)
        let destination = PostgresDestination(address)
        let export = try await Self.export("warehouse", slot.schedule, ledger, to: destination)
        let scheduler = ExportScheduler(ledger.writer, [export])
        let first = try Self.completed(await Self.run(scheduler, ledger, at: slot.instant))
        // A run that ended after the commit, and before its record was stored.
        #expect(unlink("\(ledger.dataFolder)/exports/warehouse.json") == 0)
        let repeated = try Self.completed(
            await Self.run(ExportScheduler(ledger.writer, [export]), ledger, at: slot.instant))
        #expect(repeated.existed && repeated.digest == first.digest)
        // Somebody loads by hand after the instant that the next run is about.
        let second = slot.instant.advanced(byMilliseconds: Self.day)
        let manual = second.advanced(byMilliseconds: Self.day / 2)
        try await ledger.deliver(until: manual, from: &next)
        let request = try await ledger.request(.csv, asOf: manual)
        let newer = try await ContinuedExport(of: destination.newestExport(), ledger.reader, request)
            .export(to: destination)
        let late = try Self.completed(await Self.run(scheduler, ledger, at: manual))
        #expect(late.existed && late.digest == newer.digest)
        let third = try Self.completed(
            await Self.run(scheduler, ledger, at: slot.instant.advanced(byMilliseconds: Self.day * 2)))
        #expect(!third.existed && third.tables.allSatisfy { $0.mode == .delta })
        #expect(scheduler.statuses[0].record.completed?.manifestPath.contains(PostgresDatabase.password) == false)
    }

    @Test func `run in the service, which shows their status`() async throws {
        let ledger = try NightlyLedger(seed: TestEnvironment.seed)
        var next = 0
        for night in 0..<3 { try await ledger.play(to: night, from: &next) }
        let (data, copy) = (ledger.dataFolder, ledger.folder + "/copy")
        try await blocking {
            try #require(try Subledger(["backup", copy, "--data", data, "--with-secrets"]).ending == .exited(0))
            let file = copy + ".yaml"
            let exports = """
                http: {metricsKey: false}
                exports:
                  - {name: nightly, to: copy-exports, as: csv, tables: [history], dailyAt: "00:00", zone: Asia/Tokyo,
                     environments: [Production, Sandbox]}
                  - {name: broken, to: "postgres://u:s3cret@127.0.0.1:1/w", dailyAt: "23:59"}
                """
            try File.write(Array(exports.utf8), to: file)
            let service = try Service(copy, ["--config", file])
            let deadline = ContinuousClock.now + ChildProcess.patience
            var status = try Self.status(copy, file)
            while status["exports"]?.elements?.allSatisfy({
                $0["completed"]?.isNull ?? true && $0["failed"]?.isNull ?? true
            })
                ?? true || status["exports"]?.elements?.last?["failed"]?.isNull == true, .now < deadline
            {
                usleep(50_000)
                status = try Self.status(copy, file)
            }
            let rows = try #require(status["exports"]?.elements)
            #expect(rows.map { $0["name"]?.string } == ["nightly", "broken"])
            let manifest = try #require(rows[0]["completed"]?["manifest"]?.string)
            #expect(access(manifest, F_OK) == 0 && rows[0]["failed"]?.isNull == true)
            #expect(rows[1]["failed"]?["code"]?.string == "postgres_unavailable")
            let metrics = try service.get("/metrics")
            #expect(metrics.contains(#"subledger_export_last_success_timestamp_seconds{name="nightly"} "#))
            #expect(metrics.contains(#"subledger_export_as_of_timestamp_seconds{name="nightly"} "#))
            #expect(metrics.contains(#"subledger_export_failures_total{name="broken",code="postgres_unavailable"} "#))
            let ready = try service.get("/readyz")
            #expect(
                ready.contains(" 200 ")
                    && ready.contains(#""failedExports":[{"name":"broken","code":"postgres_unavailable""#))
            try service.stop()
            let log = service.child.standardError
            #expect(log.components(separatedBy: "postgres_unavailable").count == 2, "\(log)")
            #expect(log.contains("exported") && !log.contains("s3cret") && !metrics.contains("s3cret"))
        }
        withExtendedLifetime(ledger) {}
    }

    private static func status(_ data: String, _ config: String) throws -> JSONView {
        let run = try Subledger(["export", "status", "--data", data, "--config", config, "--format", "json"])
        try #require(run.ending == .exited(0) && !run.output.contains("s3cret"), "\(run.errors)")
        return try JSONDocument(parsing: Array(run.output.utf8)).root
    }

    @Test(
        arguments: [
            (#"{to: x, tables: [periods, nothing], dailyAt: "03:00"}"#, "f.yaml:1:37", "nothing"),
            (
                #"{to: "postgres://u:s3cret/x@h/w", dailyAt: "03:00"}"#, "f.yaml:1:16",
                "postgres://USER@HOST:PORT/DATABASE"
            ),
        ])
    func `are refused where the configuration has them`(_ export: String, _ place: String, _ words: String) async throws
    {
        let folder = try TemporaryFolder()
        let (text, path) = ("exports: [\(export)]", folder.path + "/f.yaml")
        try File.write(Array(text.utf8), to: path)
        let data = folder.path + "/data"
        try await blocking {
            let run = try Subledger(["serve", "--data", data, "--config", path, "--port", "0"])
            #expect(run.ending == .exited(2) && run.errors.contains("configuration_invalid"), "\(run.errors)")
            #expect(run.errors.contains(place) && run.errors.contains(words) && !run.errors.contains("s3cret"))
            #expect(access(data, F_OK) != 0)
        }
        withExtendedLifetime(folder) {}
    }
}
