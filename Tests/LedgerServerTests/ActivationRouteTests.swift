import EventLog
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing

@Suite("A handed-over activation", .timeLimit(.minutes(5))) struct ActivationRouteTests {
    /// Posts a body to the control socket and returns the status line and the answer.
    private static func post(_ body: String, to test: TestLedger) async throws -> (status: String, answer: String) {
        let socket = test.ledger.configuration.folder.controlSocket
        return try await LiveServer.run(test.server) { server in
            try await server.connect(socket: socket) { connection in
                try await connection.send(
                    "POST /control/rules HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
                let status = try #require(try await connection.read(through: "\r\n"))
                _ = try await connection.read(through: "\r\n\r\n")
                return (status, try await connection.readToEnd())
            }
        }
    }

    private static func body(_ text: String, by: String = "alice") -> String {
        ActivationRequest(file: "rules.yaml", text: text, by: by).json.serialized()
    }

    @Test func `is an event of the operator with the text as its evidence`() async throws {
        let test = try TestLedger()
        let text = "access: {ownGraceDays: 3}  # \"as agreed\"\n"
        let (status, answer) = try await Self.post(Self.body(text), to: test)
        #expect(status.contains(" 200 "), "\(answer)")
        let found = try JSONDocument(parsing: Array(answer.utf8)).root
        #expect(found["activated"]?.bool == true && found["rules"]?["by"]?.string == "alice")
        let record = try #require(try test.ledger.reader.log.record(at: 0))
        #expect(record.kind == .rulesActivated && record.source == .operator)
        #expect(try test.ledger.reader.evidence(at: 0)?.bytes == Array(text.utf8))
    }

    @Test func `is refused when it is too large`() async throws {
        let test = try TestLedger()
        let (status, answer) = try await Self.post(Self.body(String(repeating: "#", count: 3 << 20)), to: test)
        #expect(status.contains(" 413 ") && answer.contains(#""code":"payload_too_large""#), "\(status) \(answer)")
        #expect(try test.ledger.reader.size() == 0)
    }

    @Test(arguments: [
        (body("access: {ownGraceDay: 3}"), "rules_invalid"), (body("", by: "\n"), "parameter_invalid"),
        (#"{"file":"rules.yaml","by":"alice"}"#, "posting_malformed"),
    ])
    func `is refused when a member is missing or wrong`(body: String, code: String) async throws {
        let test = try TestLedger()
        let (status, answer) = try await Self.post(body, to: test)
        #expect(status.contains(" 400 ") && answer.contains(#""code":"\#(code)""#), "\(status) \(answer)")
        #expect(try test.ledger.reader.size() == 0)
    }
}
