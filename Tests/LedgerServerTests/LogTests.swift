import AppStoreSimulation
import HTTPTypes
import HummingbirdTesting
import LedgerConfiguration
import Logging
import Primitives
import Testing

@Suite struct LogTests {
    /// Texts that callers send; the log must contain none of them.
    private static let marks = ["MARKED-customer", "MARKED-bundle", "MARKED-query", "410000000000001"]

    @Test func `a JSON line is an object with its metadata as members`() throws {
        let log = CapturedLog()
        var logger = log.logger(.json)
        logger[metadataKey: "b"] = "of the logger"
        logger.notice("said \"so\"\nagain", metadata: ["a": .stringConvertible(7), "c": ["x", "y"]])
        #expect(
            log.lines == [
                #"{"time":"1970-01-01T00:00:00.000Z","level":"notice","message":"said \"so\"\nagain","a":7,"#
                    + #""b":"of the logger","c":["x","y"]}"# + "\n"
            ])
    }

    @Test func `a text line is one line`() {
        let log = CapturedLog()
        log.logger(.text).warning("said\nso", metadata: ["a": "b\nc"])
        #expect(log.lines == ["1970-01-01T00:00:00.000Z warning said so a=b c\n"])
    }

    @Test(.timeLimit(.minutes(5)))
    func `a call is told by its route, status and time, and by nothing that was asked`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        let notification = try #require(Sample.notifications().first)
        let admin = TestKey(.admin).headers
        let posting = JSONValue.object([
            "signedTransactions": .array([.string(notification.transactionText)]),
            "customerId": .string("MARKED-customer"),
        ]).serialized()
        try await test.calls { client in
            _ = try await client.post("/v1/app-store/notifications", notification.body ?? [])
            let forged = JSONValue.object(["signedPayload": .string(notification.jws.forged.text)])
            _ = try await client.post("/v1/app-store/notifications", forged.serialized().utf8)
            _ = try await client.post("/v1/transactions", posting.utf8, admin)
            for uri in [
                "/v1/customers/MARKED-customer",
                "/v1/subscriptions/\(Sample.originalTransactionId)?bundleId=MARKED-bundle",
                "/v1/subscriptions/\(Sample.originalTransactionId)/history", "/v1/events?MARKED-query=1",
                "/v1/nothing/MARKED-customer", "/tile/0/MARKED-query", "/v1/evidence/0",
            ] {
                _ = try await client.get(uri, admin)
            }
            _ = try await client.get("/v1/events", [.authorization: "Bearer sl_admin_MARKED-query"])
        }
        // A request is logged after its answer was written, which may be after the caller has read it.
        let isCall = { (line: String) in line.contains(#""message":"request""#) }
        while test.log.lines.count(where: isCall) < 11 { await Task.yield() }
        let lines = test.log.lines
        #expect(lines.count(where: isCall) == 11)
        let jws = notification.jws.text
        let secrets = Self.marks + [admin[.authorization] ?? "", String(jws.suffix(40)), String(jws.prefix(40))]
        for line in lines {
            for secret in secrets { #expect(!line.contains(secret), "\(line)") }
        }
        #expect(lines.contains { $0.contains(#""route":"/v1/customers/{id}""#) && $0.contains(#""status":200"#) })
        #expect(lines.contains { $0.contains(#""code":"signature_invalid""#) && $0.contains(#""status":403"#) })
    }

    @Test func `what is below the level is not told`() {
        var settings = Settings.Logging()
        settings.level = .error
        #expect(settings.level.rawValue == Logger.Level.error.rawValue)
        #expect(Settings.Logging.Level.allCases.map(\.rawValue) == Logger.Level.allCases.map(\.rawValue))
    }
}
