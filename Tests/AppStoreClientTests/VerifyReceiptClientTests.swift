import AppStoreClient
import AppStoreModel
import AsyncHTTPClient
import Primitives
import Testing

@Suite struct `A client of verifyReceipt` {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private static func answer(_ body: String, _ status: Int = 200) -> CannedServer.Answer {
        CannedServer.Answer(status: status, body: body)
    }

    private static func send(
        _ server: CannedServer, environment: Environment = .production, excludesOldTransactions: Bool = true
    ) async throws -> VerifyReceiptReply {
        try await server.serve { url in
            try await send(to: url, environment, excludesOldTransactions: excludesOldTransactions)
        }
    }

    private static func send(
        to url: String, _ environment: Environment = .production, excludesOldTransactions: Bool = true
    ) async throws -> VerifyReceiptReply {
        let configuration = VerifyReceiptClient.Configuration(url: url + "/verifyReceipt") {
            Instant(milliseconds: 1_800_000_000_000)
        }
        let client = VerifyReceiptClient(secret: secret, configuration, transport: CannedServer.transport)
        return try await client.send(
            VerifyReceiptRequest(
                receipt: "cmVjZWlwdA==", environment: environment, excludesOldTransactions: excludesOldTransactions))
    }

    @Test func `sends the receipt, the secret, and whether old transactions are wanted`() async throws {
        let server = CannedServer([Self.answer(#"{"status":0}"#)])
        let reply = try await Self.send(server)
        #expect(reply.outcome == .answered && reply.environment == .production)
        #expect(reply.date.map { $0.milliseconds % 1_000 } == 0, "the server's own date, in seconds")
        #expect(
            server.calls.map(\.body) == [
                #"{"receipt-data":"cmVjZWlwdA==","password":"\#(Self.secret)","exclude-old-transactions":true}"#
            ])
        let whole = CannedServer([Self.answer(#"{"status":0}"#)])
        _ = try await Self.send(whole, excludesOldTransactions: false)
        #expect(!whole.calls[0].body.contains("exclude-old-transactions"))
    }

    @Test(arguments: [(Environment.production, 21_007, Environment.sandbox), (.sandbox, 21_008, .production)])
    func `asks the other environment once, whatever else the first answer contains`(
        _ asked: Environment, _ status: Int, _ found: Environment
    ) async throws {
        let elsewhere = Self.answer(#"{"status":\#(status),"latest_receipt_info":[]}"#)
        let server = CannedServer([elsewhere, Self.answer(#"{"status":0}"#)])
        let reply = try await Self.send(server, environment: asked)
        #expect(reply.environment == found && reply.answer.status == 0 && server.calls.count == 2)
        let circular = CannedServer([elsewhere])
        #expect(try await Self.send(circular, environment: asked).answer.status == Int64(status))
        #expect(circular.calls.count == 2)
    }

    @Test(
        arguments: [
            (#"{"status":0}"#, .answered), (#"{"status":21006}"#, .answered), (#"{"status":21000}"#, .misconfigured),
            (#"{"status":21004}"#, .misconfigured), (#"{"status":21002}"#, .unreadable),
            (#"{"status":21005}"#, .retryable), (#"{"status":21009}"#, .retryable), (#"{"status":21003}"#, .refused),
            (#"{"status":21010}"#, .refused), (#"{"status":21100,"is_retryable":true}"#, .retryable),
            (#"{"status":21199,"is-retryable":"1"}"#, .retryable), (#"{"status":21150}"#, .refused),
            (#"{"status":21199,"is_retryable":0}"#, .refused), (#"{"status":7}"#, .refused),
        ] as [(String, VerifyReceiptReply.Outcome)])
    func `knows what follows from a status`(_ body: String, _ expected: VerifyReceiptReply.Outcome) throws {
        let bytes = Array(body.utf8)
        let answer = try #require(VerifyReceiptAnswer(JSONDocument(parsing: bytes).root))
        #expect(VerifyReceiptReply(answer, bytes, of: .production, date: nil).outcome == expected)
    }

    @Test func `has no answer from anything else, and tells no secret`() async throws {
        let answers = [
            Self.answer("<html></html>"), Self.answer(#"{"status":"#), Self.answer(#"{"receipt":{}}"#),
            Self.answer(#"{"status":0}"#, 503), Self.answer("", 500),
        ]
        for answer in answers {
            do {
                _ = try await Self.send(CannedServer([answer]))
                Issue.record("answered \(answer)")
            } catch ServerAPIFailure.unavailable(let found) {
                #expect(!found.contains(Self.secret))
            }
        }
    }

    @Test func `has no answer from a closed port, and tells no secret`() async throws {
        do {
            _ = try await Self.send(to: "http://127.0.0.1:1")
            Issue.record("answered")
        } catch ServerAPIFailure.unavailable(let found) {
            #expect(!found.isEmpty && !found.contains(Self.secret) && !found.contains("cmVjZWlwdA"))
        }
    }

    @Test func `asks at another URL in the sandbox when it has one`() async throws {
        let sandbox = CannedServer([Self.answer(#"{"status":0}"#)])
        let production = CannedServer([Self.answer(#"{"status":21007}"#)])
        let reply = try await production.serve { url in
            try await sandbox.serve { sandboxURL in
                let configuration = VerifyReceiptClient.Configuration(url: url + "/a", sandboxURL: sandboxURL + "/b") {
                    .earliest
                }
                let client = VerifyReceiptClient(secret: nil, configuration, transport: CannedServer.transport)
                return try await client.send(
                    VerifyReceiptRequest(receipt: "eA==", environment: .production, excludesOldTransactions: false))
            }
        }
        #expect(reply.environment == .sandbox && reply.outcome == .answered)
        #expect(production.calls.map(\.target) == ["/a"] && sandbox.calls.map(\.target) == ["/b"])
    }

    @Test func `waits as long as Apple asks`() async throws {
        let busy = CannedServer.Answer(status: 429, headers: ["Retry-After": "60"], body: "")
        await #expect(throws: ServerAPIFailure.rateLimited(until: Instant(milliseconds: 1_800_000_060_000))) {
            _ = try await Self.send(CannedServer([busy]))
        }
    }
}
