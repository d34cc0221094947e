import AppStoreVerification
import Ingestion
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
        let found = ArtifactFile.artifact(in: Array(text.utf8), file: file)
        #expect(found.file == file)
        let content = try found.content.get()
        #expect(content.jws == Array(text.utf8))
        #expect(content.kind == kind)
    }

    @Test(arguments: [
        #"{"signedPayload":"aaa.bbb.ccc"}"#, #" {"x":1,"signedPayload":"aaa.bbb.ccc"} "#,
        #"{"signedPayload":"aaa\u002ebbb.ccc"}"#,
    ])
    func `the body of a notification is opened`(text: String) throws {
        let whole = try ArtifactFile.artifact(in: Array(text.utf8), file: "a.json").content.get()
        #expect(whole.jws == Array("aaa.bbb.ccc".utf8))
        #expect(whole.kind == .notification)
        let line = ArtifactFile.artifact(inLine: Array(text.utf8), file: "a.ndjson", number: 7)
        #expect(line.file == "a.ndjson:7")
        #expect(try line.content.get().jws == whole.jws)
    }

    @Test func `a JWS in quotes is one whose kind is not told`() throws {
        let content = try ArtifactFile.artifact(inLine: Array(#""aaa.bbb.ccc""#.utf8), file: "a.jsonl", number: 1)
            .content.get()
        #expect(content.jws == Array("aaa.bbb.ccc".utf8))
        #expect(content.kind == nil)
    }

    @Test(arguments: [
        (#"{"signedPayload":"a""#, "payload_not_json"), (#"{"signedPayload":1}"#, "kind_unknown"),
        ("{}", "kind_unknown"),
        (#"{"notification_type":"DID_RENEW"}"#, "notification_version_unsupported"),
        (#"{"signedPayload":"a","signedPayload":"b"}"#, "payload_duplicate_key"),
        ("\"\u{1}\"", "payload_not_json"),
    ])
    func `another body is refused`(text: String, code: String) {
        let found = ArtifactFile.artifact(in: Array(text.utf8), file: "a.json")
        #expect(throws: Refusal.self) { try found.content.get() }
        if case .failure(let refusal) = found.content { #expect(refusal.code.rawValue == code) }
    }

    @Test(arguments: ["a.json", "a.ndjson"])
    func `more than 8 MiB are refused`(file: String) {
        let text = "{\"signedPayload\":\"" + String(repeating: "x", count: 8 << 20) + "\"}"
        for found in [
            ArtifactFile.artifact(in: Array(text.utf8), file: file),
            ArtifactFile.artifact(inLine: Array(text.utf8), file: file, number: 1),
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
