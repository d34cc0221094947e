import AppStoreSimulation
import Primitives
import Testing

@Suite("A refused line") struct RefusedLineTests {
    private static func jws(_ claims: [String]) -> String {
        SignedFiles.sign(claims.map { .init($0, .string("x")) }).text
    }

    /// Lines, each with the kind that its wrapper or its claims identify; nil if none does.
    private static let lines: [(text: String, kind: String?)] = [
        (jws(["notificationType", "bundleId"]), "notification"),
        (#"{"signedPayload":"\#(jws(["bundleId"]))"}"#, "notification"),
        (jws(["receiptType", "bundleId"]), "app-transaction"),
        (jws(["transactionId"]), "transaction"), (jws(["type", "bundleId"]), "transaction"),
        (jws(["autoRenewProductId"]), "renewal-info"), (jws(["autoRenewStatus"]), "renewal-info"),
        (jws(["bundleId"]), "transaction"), (#""\#(jws(["bundleId"]))""#, "transaction"),
        (jws(["hello"]), nil), ("a.b.c", nil), ("{}", nil),
    ]

    @Test(arguments: ["verify", "ingest"])
    func `has the kind whenever it can be told`(command: String) async throws {
        try await blocking {
            let files = try SignedFiles()
            let archive = try files.archive("lines.jsonl", Self.lines.map(\.text))
            let data = command == "ingest" ? ["--data", files.data] : []
            // No trusted root is configured, so every line is refused.
            let run = try Subledger([command, archive, "--format", "json"] + data)
            #expect(run.ending == .exited(1), "\(run.errors)")
            let refused = try run.lines.filter { $0["ok"]?.bool == false }
            #expect(refused.map { $0["kind"]?.string } == Self.lines.map(\.kind))
            #expect(refused.map { $0["file"]?.string } == (1...Self.lines.count).map { "\(archive):\($0)" })
            #expect(refused.allSatisfy { $0["code"]?.string != nil && $0["kind"] != nil })
        }
    }

    /// A receipt of iOS 6, whose signature only Apple can verify.
    private static func oldReceipt() -> String {
        func plist(_ entries: [(String, String)]) -> [UInt8] {
            Array(("{\n" + entries.map { "\t\"\($0)\" = \"\($1)\";\n" }.joined() + "}").utf8)
        }
        let info = plist([
            ("bid", SignedFiles.bundleId), ("transaction-id", "11"), ("original-transaction-id", "1"),
            ("product-id", "pro"),
        ])
        return Base64.encode(plist([("signature", "AwD"), ("purchase-info", Base64.encode(info)), ("pod", "100")]))
    }

    @Test(arguments: [false, true])
    func `says that a receipt of iOS 6 is kept, also beside a running service`(besideService: Bool) async throws {
        try await blocking {
            let files = try SignedFiles()
            let archive = try files.archive("lines.jsonl", [Self.oldReceipt(), "hello"])
            let service: Service?
            if besideService {
                _ = try Subledger(["ingest", files.archive("empty.jsonl", []), "--data", files.data] + files.trust)
                service = try Service(files.data, files.trust)
            } else {
                service = nil
            }
            let arguments = ["ingest", archive, "--data", files.data] + files.trust
            let run = try Subledger(arguments + ["--format", "json"])
            #expect(run.ending == .exited(1), "\(run.errors)")
            let lines = try run.lines.dropLast()
            #expect(lines.map { $0["code"]?.string } == ["needs_verify_receipt", "jws_malformed"])
            #expect(lines.map { $0["kept"]?.bool } == [true, false])
            #expect(lines.map { $0["quarantined"]?.bool } == [false, false])
            let table = try Subledger(arguments + ["--format", "table"]).output.split(separator: "\n")
            #expect(table.map { $0.hasSuffix(" [kept: Apple is asked about it]") } == [true, false, false], "\(table)")
            try service?.stop()
        }
    }

    /// The first payload of a process, so no word is known but those that the program names.
    @Test(arguments: ["Xcode", "LocalTesting"])
    func `of local test data is refused for its environment, also as the first`(environment: String) async throws {
        try await blocking {
            let files = try SignedFiles()
            let signer = JWSSigner(try .mintXcode())
            let claims: [JSONValue.Member] = [
                .init("transactionId", .string("0")), .init("environment", .string(environment)),
            ]
            let archive = try files.archive("local.jsonl", [signer.sign(.object(claims)).text])
            let run = try Subledger(["verify", archive, "--format", "json"])
            #expect(try run.lines.map { $0["code"]?.string } == ["environment_refused"])
        }
    }

    @Test func `has the kind asked for`() async throws {
        try await blocking {
            let files = try SignedFiles()
            let archive = try files.archive("lines.jsonl", [Self.jws(["notificationType"]), "a.b.c"])
            let run = try Subledger(["verify", archive, "--kind", "renewal-info", "--format", "json"])
            #expect(try run.lines.map { $0["kind"]?.string } == ["renewal-info", "renewal-info"])
        }
    }
}
