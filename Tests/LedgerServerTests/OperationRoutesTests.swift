import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import DuePolls
import HTTPTypes
import HummingbirdTesting
import LedgerServer
import Primitives
import SubscriptionLedger
import Testing

@Suite struct OperationRoutesTests {
    @Test func `the process is alive`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        try await test.calls { client in
            let answer = try await client.get("/healthz")
            #expect(answer.text == #"{"status":"ok"}"#)
        }
    }

    @Test func `the ledger is ready while it has room`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        try await test.append(Sample.notifications())
        try await test.calls { client in
            let answer = try await client.get("/readyz")
            #expect(answer.status == .ok)
            let json = try answer.json()
            #expect(
                json.members.map(\.key) == [
                    "status", "writer", "derivedLag", "freeBytes", "stoppedCalls", "failedExports",
                ])
            #expect(json["status"]?.string == "ready")
            #expect(json["writer"]?.string == "ok")
            #expect(json["derivedLag"]?.integer.map { 0...6 ~= $0 } == true)
            #expect(json["freeBytes"]?.integer.map { $0 > 0 && $0 < 1 << 30 } == true)
        }
    }

    @Test func `without room it is not ready`() async throws {
        let test = try TestLedger { $0.mapSizeBytes = 1 << 20 }
        try await test.calls { client in
            let answer = try await client.get("/readyz")
            #expect(answer.status == .serviceUnavailable)
            #expect(try answer.json()["status"]?.string == "unavailable")
        }
    }

    @Test func `the metrics count what has happened`() async throws {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.calls { client in
            for notification in notifications {
                _ = try await client.post("/v1/app-store/notifications", notification.body ?? [])
            }
            let forged = JSONValue.object(["signedPayload": .string(notifications[0].jws.forged.text)])
            _ = try await client.post("/v1/app-store/notifications", forged.serialized().utf8)
            _ = try await client.get("/v1/nothing")
            let answer = try await client.get("/metrics")
            #expect(answer.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = answer.text.split(separator: "\n").map(String.init)
            let route = "/v1/app-store/notifications"
            for expected in [
                "subledger_appends_total{kind=\"notificationReceived\"} \(notifications.count)",
                "subledger_refusals_total{code=\"signature_invalid\"} 1",
                "subledger_append_seconds_count \(notifications.count)",
                "subledger_append_seconds_bucket{le=\"+Inf\"} \(notifications.count)",
                "subledger_log_events \(notifications.count)", "subledger_status_disagreements 0",
                "subledger_http_requests_total{route=\"\(route)\",status=\"200\"} \(notifications.count)",
                "subledger_http_requests_total{route=\"\(route)\",status=\"403\"} 1",
                "subledger_http_requests_total{route=\"unknown\",status=\"404\"} 1",
                "subledger_quarantine_items 1",
                "subledger_followers 0",
                "subledger_waiting_verifications 0",
                "# TYPE subledger_append_seconds histogram",
                "# TYPE subledger_derived_lag gauge",
            ] {
                #expect(lines.contains(expected), "\(expected)")
            }
            Self.expectWellFormed(lines)
        }
    }

    @Test func `stopped calls are named, and counted by code`() async throws {
        let app = CallBudget.App(bundleId: "com.example.app", environment: .production)
        let test = try TestLedger(serve: { configuration, ledger in
            let connection = AppStoreConnection(app, within: SharedBudget(), clock: { Sample.end }) { _, _ in
                throw ServerAPIFailure.unauthorized
            }
            let store = try PollStore(writing: ledger.configuration.folder)
            configuration.importer = try Importer(ledger, [connection], store)
            configuration.polling = Polling(
                poller: Poller(ledger, [connection], store, policy: PollPolicy()),
                reconciler: Reconciler(ledger, [connection], store), connections: [connection], isEnabled: false)
        })
        try await test.append(Sample.notifications())
        let unnamed = try await Self.stops(test)
        #expect(unnamed.samples.count == StoppedCalls.codes.count && unnamed.samples.allSatisfy { $0.hasSuffix(" 0") })
        let poller = try #require(test.polling).poller
        _ = try await poller.ask(about: SubscriptionSelector(originalTransactionId: Sample.originalTransactionId))
        let named = try await Self.stops(test)
        #expect(named.codes == ["api_unauthorized"])
        #expect(
            named.samples.filter { $0.hasSuffix(" 1") } == [#"subledger_stopped_calls{code="api_unauthorized"} 1"#])
    }

    private static func stops(_ test: TestLedger) async throws -> (codes: [String], samples: [String]) {
        try await test.calls { client in
            let ready = try await client.get("/readyz").json()
            let lines = try await client.get("/metrics").text.split(separator: "\n").map(String.init)
            expectWellFormed(lines)
            return (
                ready["stoppedCalls"]?.elements?.compactMap { $0["code"]?.string } ?? [],
                lines.filter { $0.hasPrefix("subledger_stopped_calls{") }
            )
        }
    }

    /// Expects every sample to follow its family's TYPE line, and bucket counts never to decrease.
    private static func expectWellFormed(_ lines: [String]) {
        var family = ""
        var bucket: (series: Substring, count: Int) = ("", 0)
        for line in lines {
            if line.hasPrefix("# TYPE ") { family = String(line.split(separator: " ")[2]) }
            guard !line.hasPrefix("#") else { continue }
            #expect(line.hasPrefix(family), "\(line)")
            let parts = line.split(separator: " ")
            #expect(parts.count == 2 && Double(parts[1]) != nil, "\(line)")
            guard line.contains("_bucket{"), let le = line.firstRange(of: "le=") else { continue }
            let series = line[..<le.lowerBound]
            let count = Int(parts[1]) ?? -1
            if series == bucket.series { #expect(count >= bucket.count, "\(line)") }
            bucket = (series, count)
        }
    }

    @Test func `what no route does is a problem as well`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        try await test.calls { client in
            for path in ["/", "/v1", "/v1/customers", "/v1/customers/a/b", "/v2/events", "/tile"] {
                try await client.get(path).expectProblem("not_found", .notFound)
            }
            let put = try await client.execute(uri: "/v1/customers/a", method: .put)
            try put.expectProblem("method_not_allowed", .methodNotAllowed)
            #expect(put.headers[.allow] == "GET")
            let post = try await client.post("/tile/0/000", [])
            try post.expectProblem("method_not_allowed", .methodNotAllowed)
            #expect(post.headers[.allow] == "GET")
            let get = try await client.get("/v1/transactions")
            try get.expectProblem("method_not_allowed", .methodNotAllowed)
            #expect(get.headers[.allow] == "POST")
        }
    }
}
