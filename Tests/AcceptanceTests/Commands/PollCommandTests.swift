import Glibc
import LedgerTesting
import Primitives
import Testing

@Suite("Commands that ask Apple") struct PollCommandTests {
    /// A simulated App Store whose two months have just ended, and none of whose notifications arrived.
    private struct Setting {
        let folder: TemporaryFolder
        let simulator: Simulator
        let start: Instant
        var data: String { folder.path + "/data" }

        init() throws {
            folder = try TemporaryFolder()
            start = Instant(milliseconds: Int64(time(nil)) * 1_000 - 62 * Instant.millisecondsPerDay)
            simulator = try Simulator(
                in: folder.path + "/store", start: start, months: 2, ["--customers", "20", "--fault", "lose=1"])
        }

        func configure(_ text: String) throws -> String {
            let path = folder.path + "/subledger.yaml"
            try File.write(Array(text.utf8), to: path)
            return path
        }

        func makeLedger(_ config: String) throws {
            let empty = folder.path + "/empty.jsonl"
            try File.write([], to: empty)
            _ = try run("ingest", empty, config: config)
        }

        func run(_ arguments: String..., config: String) throws -> Subledger {
            try Subledger(arguments + ["--config", config, "--format", "json"])
        }
    }

    @Test func `fill a ledger, alone and beside a running service`() async throws {
        try await blocking {
            let test = try Setting()
            let config = try test.configure(try test.simulator.configuration(data: test.data))
            #expect(try test.run("poll", "due", config: config).ending == .exited(3), "no folder yet")
            try test.makeLedger(config)

            let filled = try test.run("reconcile", "--since", test.start.iso8601, config: config)
            let first = try #require(try filled.lines.first, "\(filled.errors)")
            let missing = try #require(first["missing"]?.integer)
            #expect(missing > 10 && first["ingested"]?.integer == missing && first["matched"]?.integer == 0)

            let due = try #require(try test.run("poll", "due", config: config).lines.first?.elements)
            #expect(due.count > 5)
            #expect(
                due.first?.members.map(\.key)
                    == ["environment", "bundleId", "originalTransactionId", "dueAt", "why", "attempt"])
            let asked = try test.run("poll", "run", "--once", config: config)
            let counts = try #require(try asked.lines.first, "\(asked.errors)")
            #expect(
                counts.members.map(\.key)
                    == ["polled", "changed", "unchanged", "failed", "rateLimited", "stoppedCalls"])
            #expect(counts["polled"]?.integer ?? 0 > 0 && counts["failed"]?.integer == 0)
            let id = try #require(due.first?["originalTransactionId"]?.string)
            let one = try test.run("poll", "subscription", id, config: config)
            #expect(try one.lines.first?["polled"]?.integer == 1, "\(one.errors)")
            let unknown = try test.run("poll", "subscription", "1", config: config)
            #expect(
                unknown.ending == .exited(1) && unknown.errors.contains("subscription_unknown"), "\(unknown.errors)")

            let service = try Service(test.data, ["--config", config])
            let again = try test.run("reconcile", "--since", test.start.iso8601, config: config)
            #expect(try again.lines.last?["matched"]?.integer == missing, "\(again.errors)")
            #expect(try again.lines.count == 1)
            #expect(try test.run("poll", "subscription", id, config: config).lines.first?["polled"]?.integer == 1)
            #expect(try test.run("poll", "run", "--once", config: config).lines.first?["failed"]?.integer == 0)
            #expect(try test.run("poll", "subscription", "1", config: config).errors == unknown.errors)
            #expect(try test.run("poll", "due", config: config).ending == .exited(0))
            try service.stop()
            try test.simulator.stop()
        }
    }

    @Test func `take over a business by its ids, alone and beside a running service`() async throws {
        try await blocking {
            let test = try Setting()
            let config = try test.configure(try test.simulator.configuration(data: test.data))
            let truth = try test.simulator.get("/simulator/truth?at=\(try test.simulator.now().iso8601)")
            let ids = truth.split(separator: "\"").filter { $0.count == 15 && $0.hasPrefix("41000000") }
            #expect(ids.count > 15)
            let (rows, file) = (Set(ids).sorted(), test.folder.path + "/rows.ndjson")
            func write(_ rows: some Sequence<Substring>) throws {
                let lines = rows.map { #"{"originalTransactionId":"\#($0)"}"# + "\n" }
                try File.write(Array((lines.joined() + "{}\n").utf8), to: file)
            }
            try write(rows.prefix(8))
            let alone = try test.run("import", file, config: config)
            #expect(alone.ending == .exited(1), "\(alone.errors)")
            let found = try alone.lines.compactMap { $0["verdict"]?.string }
            #expect(found.count { $0 == "filled" } + found.count { $0 == "known" } == 8)
            #expect(found.count { $0 == "malformed" } == 1 && found.count == 9)
            let again = try test.run("import", file, config: config)
            #expect(try again.lines.map { $0["line"]?.integer } == (1...9).map { $0 })

            let service = try Service(test.data, ["--config", config])
            #expect(try test.run("import", file, config: config).output == again.output)
            try write(rows)
            let beside = try test.run("import", file, config: config)
            #expect(beside.ending == .exited(1) && beside.errors.isEmpty, "\(beside.errors)")
            let verdicts = try beside.lines.compactMap { $0["verdict"]?.string }
            #expect(verdicts.count == rows.count + 1 && Set(verdicts) == ["filled", "known", "malformed"])
            try service.stop()
            let missing = try test.run("import", test.folder.path + "/none", config: config)
            #expect(missing.ending == .exited(3), "\(missing.errors)")
            try test.simulator.stop()
        }
    }

    @Test func `are not needed by a service that polls`() async throws {
        try await blocking {
            let test = try Setting()
            let config = try test.configure(
                try test.simulator.configuration(data: test.data, polling: "{enabled: true}"))
            try test.makeLedger(config)
            let half = test.start.advanced(byMilliseconds: 40 * Instant.millisecondsPerDay)
            let filled = try test.run(
                "reconcile", "--since", test.start.iso8601, "--until", half.iso8601, config: config)
            #expect(try filled.lines.first?["ingested"]?.integer ?? 0 > 5, "\(filled.errors)")

            let service = try Service(test.data, ["--config", config])
            var metrics = ""
            for _ in 0..<500 {
                metrics = try service.get("/metrics")
                if metrics.contains("subledger_polls_total{"), metrics.contains("appends_total{kind=\"reconciled\"} 1")
                {
                    break
                }
                usleep(20_000)
            }
            #expect(metrics.contains("subledger_polls_total{"), "it asked what was due")
            #expect(metrics.contains("kind=\"reconciled\"} 1"), "it looked for what it missed")
            #expect(metrics.contains("subledger_polls_queued "))
            #expect(try service.get("/readyz").contains(#""stoppedCalls":[]"#))
            try service.stop()
            try test.simulator.stop()
        }
    }

    @Test func `name the app whose calls stopped, alone and beside a running service`() async throws {
        try await blocking {
            let test = try Setting()
            let good = try test.simulator.configuration(data: test.data)
            let config = try test.configure(good)
            try test.makeLedger(config)
            _ = try test.run("reconcile", "--since", test.start.iso8601, config: config)
            let due = try #require(try test.run("poll", "due", config: config).lines.first?.elements?.first)
            let id = try #require(due["originalTransactionId"]?.string)
            _ = try test.configure(good.replacing("keyId: ", with: "keyId: NOT"))

            let alone = try test.run("poll", "run", "--once", config: config)
            #expect(alone.ending == .exited(1) && alone.errors.contains("api_unauthorized"), "\(alone.errors)")
            #expect(alone.errors.contains("in Production") && alone.errors.contains("status 401"))
            #expect(alone.errors.contains("Compare issuerId"), "the hint")
            let counts = try #require(try alone.lines.first)
            #expect(counts["rateLimited"]?.integer == 0 && counts["stoppedCalls"]?.elements?.count == 1)
            let one = try test.run("poll", "subscription", id, config: config)
            #expect(one.ending == .exited(1) && one.errors == alone.errors, "\(one.errors)")

            let service = try Service(test.data, ["--config", config])
            for arguments in [["subscription", id], ["subscription", id], ["run", "--once"]] {
                let beside = try Subledger(["poll"] + arguments + ["--config", config, "--format", "json"])
                #expect(beside.ending == .exited(1) && beside.errors == alone.errors, "\(beside.errors)")
            }
            #expect(try service.get("/metrics").contains(#"subledger_stopped_calls{code="api_unauthorized"} 1"#))
            try service.stop()
            let notes = service.child.standardError
            #expect(notes.split(separator: "polling is not enabled").count == 2, "\(notes)")
            try test.simulator.stop()
        }
    }

    @Test func `need an app with a key, or say so`() async throws {
        try await blocking {
            let files = try SignedFiles()
            let (config, secret) = (files.path("subledger.yaml"), files.path("secret"))
            try File.write(Array("0123456789abcdef\n".utf8), to: secret)
            func configure(_ app: String) throws {
                let text = """
                    data: \(files.data)
                    polling: {enabled: true}
                    apps:
                      - bundleId: com.example.app
                        appAppleId: 1234567890
                    \(app)
                    """
                try File.write(Array(text.utf8), to: config)
            }
            func reconcile() throws -> Subledger {
                try Subledger(["reconcile", "--since", "2026-01-01", "--config", config, "--format", "json"])
            }
            try configure("")
            _ = try Subledger(["ingest", files.archive("empty.jsonl", []), "--config", config])
            for app in ["", "    sharedSecretFile: \(secret)"] {
                try configure(app)
                let alone = try reconcile()
                #expect(alone.ending == .exited(2) && alone.errors.contains("configuration_invalid"))
                #expect(alone.errors.contains("no app has a key") && alone.output.isEmpty, "\(alone.errors)")
                let service = try Service(files.data, ["--config", config])
                let beside = try reconcile()
                #expect(beside.ending == .exited(2) && beside.errors == alone.errors, "\(beside.errors)")
                try service.stop()
                let notes = service.child.standardError
                #expect(notes.contains("polling is enabled, but no app has a key") == app.isEmpty, "\(notes)")
                #expect(!notes.contains("polling is not enabled"))
            }
        }
    }

    @Test func `say when Apple refuses the key`() async throws {
        try await blocking {
            let test = try Setting()
            let config = try test.configure(
                try test.simulator.configuration(data: test.data, polling: "{enabled: true}")
                    .replacing("keyId: ", with: "keyId: NOT"))
            try test.makeLedger(config)
            let refused = try test.run("reconcile", "--since", test.start.iso8601, config: config)
            #expect(refused.ending == .exited(1) && refused.errors.contains("api_unauthorized"), "\(refused.errors)")
            let service = try Service(test.data, ["--config", config])
            let handedOver = try test.run("reconcile", "--since", test.start.iso8601, config: config)
            #expect(handedOver.ending == .exited(1) && handedOver.errors == refused.errors, "\(handedOver.errors)")
            #expect(try service.get("/readyz").contains(#""code":"api_unauthorized""#))
            try service.stop()
            let unreadable = try test.configure(
                try test.simulator.configuration(data: test.data, keyFile: test.folder.path + "/none.p8"))
            let failed = try test.run("poll", "run", "--once", config: unreadable)
            #expect(failed.ending == .exited(2) && failed.errors.contains("keyFile"), "\(failed.errors)")
            try test.simulator.stop()
        }
    }
}
