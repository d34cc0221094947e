import AppStoreClient
import AppStoreModel
import FoundationEssentials
import Primitives
import Synchronization
import Testing

@Suite struct `A client of the Server API` {
    private static let now = Instant(milliseconds: 1_800_000_000_000)

    private static func answer(
        _ status: Int, _ body: String = "", headers: [String: String] = [:]
    ) -> CannedServer.Answer {
        CannedServer.Answer(status: status, headers: headers, body: body)
    }

    private static func error(_ status: Int, _ code: Int64) -> CannedServer.Answer {
        answer(status, #"{"errorCode":\#(code),"errorMessage":"text"}"#)
    }

    private static let page = "<html><body>We'll be back.</body></html>"

    @Test(arguments: [
        [error(500, 5_000_001)], [error(500, 5_000_000)], [error(404, 4_040_002)], [error(404, 4_040_004)],
        [error(404, 4_040_006)], [answer(503)], [answer(502, page)], [answer(200, page)],
        [answer(200, #"{"signedTransactionInfo":"a.b"#)], [answer(200, #"{"signedTransactionInfo":7}"#)],
        [answer(200, "[]")], [answer(503), answer(200, page)],
    ])
    func `repeats a call that may succeed later`(_ failures: [CannedServer.Answer]) async throws {
        let server = CannedServer(failures + [CannedServer.Answer()])
        let reply = try await server.run { try await $0.send(.transactionInfo("1")) }
        #expect(reply.outcome == .success && reply.body?["signedTransactionInfo"]?.string == "a.b.c")
        #expect(server.calls.count == failures.count + 1)
    }

    @Test(
        arguments: [
            (400, 4_000_006), (404, 4_040_010), (404, 4_040_001), (403, 4_030_004), (400, 4_999_999),
        ] as [(Int, Int64)])
    func `does not repeat a call that Apple refuses`(_ status: Int, _ code: Int64) async throws {
        let server = CannedServer([Self.error(status, code), CannedServer.Answer()])
        let reply = try await server.run { try await $0.send(.transactionInfo("1")) }
        #expect(reply.outcome == .error(code: code, message: "text") && server.calls.count == 1)
    }

    @Test func `returns Apple's error once its attempts are used up`() async throws {
        let server = CannedServer([Self.error(404, 4_040_004)])
        let reply = try await server.run { try await $0.send(.transactionInfo("1")) }
        #expect(reply.outcome == .error(code: 4_040_004, message: "text") && server.calls.count == 3)
        #expect(reply.isRetryable)
    }

    @Test(arguments: [500, 503])
    func `has no answer from a server error, whatever its body`(_ status: Int) async throws {
        let server = CannedServer([Self.error(status, 5_000_001)])
        try await server.run { client in
            await #expect(
                throws: ServerAPIFailure.unavailable(found: "status \(status), error 5000001")
            ) {
                try await client.send(.transactionInfo("1"))
            }
        }
        #expect(server.calls.count == 3)
    }

    @Test func `repeats a call only while it may`() async throws {
        let server = CannedServer([Self.answer(503)])
        let allowed = Mutex(1)
        try await server.run { client in
            await #expect(throws: ServerAPIFailure.self) {
                try await client.send(.transactionInfo("1")) {
                    allowed.withLock { left in
                        left -= 1
                        return left >= 0
                    }
                }
            }
        }
        #expect(server.calls.count == 2)
    }

    @Test func `names what came instead of an answer`() async throws {
        let server = CannedServer([Self.answer(200, Self.page)])
        try await server.run { client in
            await #expect(
                throws: ServerAPIFailure.unavailable(found: "status 200 with 40 bytes that are no JSON object")
            ) {
                try await client.send(.transactionInfo("1"))
            }
        }
        #expect(server.calls.count == 3)
    }

    @Test func `fails when nobody answers`() async throws {
        let client = try CannedServer.client(baseURL: "http://127.0.0.1:1", attempts: 2)
        do {
            _ = try await client.send(.transactionInfo("1"))
            Issue.record("nobody answered")
        } catch let failure as ServerAPIFailure {
            #expect(failure.diagnosis.code == "api_unavailable" && failure.diagnosis.isRetryable)
        }
    }

    @Test(
        arguments: [
            ("1800000007000", 7_000), ("9", 9_000), ("0", 0), ("1799999999000", 0), ("7200", 3_600_000),
            ("1800009000000", 3_600_000), ("9223372036854775807", 3_600_000), ("soon", 60_000), ("-5", 60_000),
            (nil, 60_000),
        ] as [(String?, Int64)])
    func `waits as long as Apple asks, at most an hour`(_ field: String?, _ milliseconds: Int64) async throws {
        let headers = field.map { ["Retry-After": $0] } ?? [:]
        let server = CannedServer([
            Self.answer(429, #"{"errorCode":4290000,"errorMessage":""}"#, headers: headers)
        ])
        let until = Self.now.advanced(byMilliseconds: milliseconds)
        try await server.run(clock: Self.now) { client in
            await #expect(throws: ServerAPIFailure.rateLimited(until: until)) {
                try await client.send(.transactionInfo("1"))
            }
        }
        #expect(server.calls.count == 1)
    }

    @Test func `tries one new token, and then stops`() async throws {
        let server = CannedServer([Self.answer(401)])
        try await server.run { client in
            await #expect(throws: ServerAPIFailure.unauthorized) { try await client.send(.transactionInfo("1")) }
        }
        #expect(server.calls.count == 2)
        let recovered = CannedServer([Self.answer(401), CannedServer.Answer()])
        let reply = try await recovered.run { try await $0.send(.transactionInfo("1")) }
        #expect(reply.outcome == .success && recovered.calls.count == 2)
    }

    @Test func `says when the clocks differ`() async throws {
        for ahead in [300.0, -300] {
            try await CannedServer([Self.answer(401)]).run(secondsAhead: ahead) { client in
                do {
                    _ = try await client.send(.transactionInfo("1"))
                    Issue.record("the token was refused")
                } catch ServerAPIFailure.clockSkew(let seconds) {
                    #expect(abs(Double(seconds) - ahead) < 10)
                }
            }
        }
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 + 59.0, nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 + 61.0, 61),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 - 90.0, -90), ("Sunday", 0, nil), (nil, 0, nil),
            ("Sun, 31 Feb 1994 08:49:37 GMT", 0, nil), ("Sun, 06 Nov 1994 25:49:37 GMT", 0, nil),
        ] as [(String?, Double, Int64?)])
    func `reads the date of an answer`(_ field: String?, _ now: Double, _ skew: Int64?) {
        #expect(ServerAPIClient.skew(field, now: Date(timeIntervalSince1970: now)) == skew)
    }

    @Test func `uses a token for several calls`() async throws {
        let server = CannedServer([CannedServer.Answer()])
        try await server.run { client in
            for _ in 0..<3 { _ = try await client.send(.transactionInfo("1")) }
        }
        let tokens = Set(server.calls.map(\.token))
        #expect(tokens.count == 1 && tokens.first?.hasPrefix("Bearer ey") == true)
    }

    @Test func `sends what Apple's reference describes`() async throws {
        let server = CannedServer([Self.answer(200, "{}")])
        let window = Self.now...Self.now.advanced(byMilliseconds: 5)
        let requests: [(ServerAPIRequest, String, String)] = [
            (.finishTransaction("2/../3"), "POST /inApps/v1/transactions/2%2F..%2F3/finish", ""),
            (
                .setAppAccountToken("f00d", of: "7"), "PUT /inApps/v1/transactions/7/appAccountToken",
                #"{"appAccountToken":"f00d"}"#
            ),
            (
                .sendConsumption(.object(["customerConsented": .bool(true)]), of: "9"),
                "PUT /inApps/v2/transactions/consumption/9", #"{"customerConsented":true}"#
            ),
        ]
        try await server.run { client in
            for (request, _, _) in requests {
                let reply = try await client.send(request)
                #expect(reply.outcome == .success)
            }
        }
        for (call, request) in zip(server.calls, requests) {
            #expect("\(call.method) \(call.target)" == request.1 && call.body == request.2)
        }
        let history = ServerAPIRequest.notificationHistory(window, onlyFailures: true, token: "a+b")
        #expect(
            history.path == "/inApps/v1/notifications/history" && history.query == [.init("paginationToken", "a+b")])
        #expect(
            history.body?.serialized()
                == #"{"startDate":1800000000000,"endDate":1800000000005,"onlyFailures":true}"#)
        let pages = CannedServer([Self.answer(200, #"{"signedTransactions":[],"revision":"r","hasMore":false}"#)])
        _ = try await pages.run { try await $0.send(.transactionHistory("5", revision: "x y")) }
        #expect(pages.calls.first?.target == "/inApps/v2/history/5?sort=ASCENDING&revision=x%20y")
    }
}
