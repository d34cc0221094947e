import AppStoreVerification
import Ingestion
import Primitives
import SubscriptionLedger
import Testing

@Suite("Artifacts of a file")
struct ArtifactFileTests {
    @Test(
        arguments: [
            ("a.jws", "aaa.bbb.ccc", nil), ("a.txt", " aaa.bbb.ccc\n", nil),
            ("a.txt", "{\"signedPayload\":\"x\"}", nil),
            ("-", "aaa.bbb.ccc", nil), ("a", "\n\taaa.bbb.ccc", nil),
        ] as [(String, String, ArtifactKind?)])
    func `a JWS is handed on as it stands`(file: String, text: String, kind: ArtifactKind?) throws {
        let found = ArtifactFile.artifacts(in: Array(text.utf8), file: file)[0]
        #expect(found.file == file)
        let content = try found.content.get()
        #expect(content.artifact == Array(text.utf8))
        #expect(content.kind == kind)
    }

    @Test(arguments: [
        #"{"signedPayload":"aaa.bbb.ccc"}"#, #" {"x":1,"signedPayload":"aaa.bbb.ccc"} "#,
        #"{"signedPayload":"aaa\u002ebbb.ccc"}"#,
    ])
    func `the body of a notification is opened`(text: String) throws {
        let whole = try ArtifactFile.artifacts(in: Array(text.utf8), file: "a.json")[0].content.get()
        #expect(whole.artifact == Array("aaa.bbb.ccc".utf8))
        #expect(whole.kind == .notification)
        let line = ArtifactFile.artifacts(inLine: Array(text.utf8), file: "a.ndjson", number: 7)[0]
        #expect(line.file == "a.ndjson:7")
        #expect(try line.content.get().artifact == whole.artifact)
    }

    @Test func `a JWS in quotes is one whose kind is not told`() throws {
        let content = try ArtifactFile.artifacts(inLine: Array(#""aaa.bbb.ccc""#.utf8), file: "a.jsonl", number: 1)[0]
            .content.get()
        #expect(content.artifact == Array("aaa.bbb.ccc".utf8))
        #expect(content.kind == nil)
    }

    @Test(arguments: [
        (#"{"signedPayload":"a""#, "payload_not_json"), (#"{"signedPayload":1}"#, "kind_unknown"),
        ("{}", "kind_unknown"),
        (#"{"signedPayload":"a","signedPayload":"b"}"#, "payload_duplicate_key"),
        ("\"\u{1}\"", "payload_not_json"),
    ])
    func `another body is refused`(text: String, code: String) {
        let found = ArtifactFile.artifacts(in: Array(text.utf8), file: "a.json")[0]
        #expect(throws: Refusal.self) { try found.content.get() }
        if case .failure(let refusal) = found.content { #expect(refusal.code.rawValue == code) }
    }

    @Test func `an answer of the App Store Server API is its signed parts, each with its place and kind`() throws {
        let text = """
            {"environment":"Production","bundleId":"a","data":[{"lastTransactions":[
            {"status":1,"signedTransactionInfo":"t.t.t","signedRenewalInfo":"r.r.r"},{"signedTransactionInfo":7}]}]}
            """
        let found = ArtifactFile.artifacts(in: Array(text.utf8), file: "a.json")
        let item = "a.json#data[0].lastTransactions"
        #expect(
            found.map(\.file) == [
                "\(item)[0].signedTransactionInfo", "\(item)[0].signedRenewalInfo",
                "\(item)[1].signedTransactionInfo",
            ])
        let contents = try found.map { try $0.content.get() }
        #expect(contents.map(\.kind) == [.transaction, .renewalInfo, .transaction])
        #expect(contents.map { String(decoding: $0.artifact, as: UTF8.self) } == ["t.t.t", "r.r.r", ""])

        let pages = #"{"signedTransactions":["a.b.c"],"revision":"1"} {"signedAppTransactionInfo":"d.e.f"}"#
        let history = #"{"notificationHistory":[{"sendAttempts":[],"signedPayload":"g.h.i"}],"hasMore":false}"#
        let lines = pages.split(separator: " ").map(String.init) + [history]
        let kinds = try lines.flatMap {
            try ArtifactFile.artifacts(inLine: Array($0.utf8), file: "a", number: 1).map { try $0.content.get().kind }
        }
        #expect(kinds == [.transaction, .appTransaction, .notification])
    }

    @Test(arguments: [
        #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#,
        #"{"environment":"Production","bundleId":"a","data":[]}"#,
    ])
    func `an answer without a signed part is refused`(text: String) {
        let found = ArtifactFile.artifacts(in: Array(text.utf8), file: "a.json")
        #expect(found.count == 1)
        guard case .failure(let refusal) = found[0].content else {
            Issue.record("it was read")
            return
        }
        #expect(refusal.code == .channelNotAuthenticated)
        #expect(refusal.hint == nil, "nobody can vouch for it")
    }

    @Test func `an answer of verifyReceipt without a receipt is refused with the option that vouches for it`() {
        let found = ArtifactFile.artifacts(in: Array(#"{"status":21003}"#.utf8), file: "a.json")
        guard case .failure(let refusal)? = found.first?.content else {
            Issue.record("it was read")
            return
        }
        #expect(refusal.code == .channelNotAuthenticated && refusal.hint?.contains("--trust-files") == true)
    }

    @Test func `other JSON is refused with all that is known`() {
        let found = ArtifactFile.artifacts(in: Array(#"{"hello":"world"}"#.utf8), file: "a.json")
        guard case .failure(let refusal)? = found.first?.content else {
            Issue.record("it was read")
            return
        }
        #expect(refusal.code == .kindUnknown)
        for known in ["signedPayload", "notification_type", "App Store Server API", "verifyReceipt"] {
            #expect(refusal.expected?.contains(known) == true, "\(known)")
        }
    }

    @Test(arguments: ["a.json", "a.ndjson"])
    func `more than 8 MiB are refused`(file: String) {
        let text = "{\"signedPayload\":\"" + String(repeating: "x", count: 8 << 20) + "\"}"
        for found in [
            ArtifactFile.artifacts(in: Array(text.utf8), file: file)[0],
            ArtifactFile.artifacts(inLine: Array(text.utf8), file: file, number: 1)[0],
        ] {
            guard case .failure(let refusal) = found.content else {
                Issue.record("\(file) was read")
                continue
            }
            #expect(refusal.code == .payloadTooLarge)
        }
    }

    @Test(arguments: [
        ("a.ndjson", true), ("a.jsonl", true), ("a.json", false), ("a.jws", false), ("a.txt", false), ("ndjson", false),
    ])
    func `archives are told by their name`(path: String, isArchive: Bool) {
        #expect(ArtifactFile.isArchive(path) == isArchive)
    }
}
