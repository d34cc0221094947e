import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import FoundationEssentials
import HTTPTypes
import HummingbirdTesting
import LedgerStorage
import NIOCore
import Primitives
import SubscriptionLedger
import Testing
import TransparencyLog

@Suite struct NotificationsRouteTests {
    private static let uri = "/v1/app-store/notifications"

    @Test func `a notification is answered with its position, and again as a duplicate`() async throws {
        let test = try TestLedger()
        let bodies = Sample.notifications().compactMap(\.body)
        try await test.calls { client in
            for (index, body) in bodies.enumerated() {
                let answer = try await client.post(Self.uri, body)
                #expect(answer.status == .ok)
                #expect(answer.text == #"{"position":\#(index),"duplicate":false}"#)
                #expect(try test.ledger.reader.log.size() == UInt64(index + 1))
            }
            let again = try await client.post(Self.uri, bodies[1])
            #expect(again.text == #"{"position":1,"duplicate":true}"#)
        }
        #expect(try test.ledger.reader.log.size() == UInt64(bodies.count))
    }

    @Test(
        arguments: [
            ("", "payload_not_json"),
            ("{", "payload_not_json"),
            ("text", "payload_not_json"),
            ("[]", "kind_unknown"),
            ("{}", "kind_unknown"),
            (#"{"signedPayload":1}"#, "kind_unknown"),
            (#"{"signedPayload":null}"#, "kind_unknown"),
            (#"{"signedPayload":"a","signedPayload":"b"}"#, "payload_duplicate_key"),
            (String(repeating: "[", count: 40), "payload_too_deep"),
        ])
    func `what is not JSON with a signedPayload is 400`(_ body: String, _ code: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await client.post(Self.uri, body.utf8).expectProblem(code, .badRequest)
        }
        #expect(try test.ledger.quarantine.size().items == 0)
    }

    @Test func `bytes that are not UTF-8 are 400`() async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await client.post(Self.uri, [0x22, 0xFF, 0x22]).expectProblem("not_utf8", .badRequest)
        }
    }

    @Test func `without a shared secret a version 1 body comes again later, and is kept without its password`()
        async throws
    {
        let test = try TestLedger()
        let body = #"{"notification_type":"DID_RENEW","password":"hunter2","unified_receipt":{}}"#
        try await test.calls { client in
            try await client.post(Self.uri, body.utf8).expectProblem("password_mismatch", .serviceUnavailable)
        }
        #expect(try test.ledger.quarantine.size().items == 1)
        #expect(try test.ledger.reader.log.size() == 0)
    }

    /// Well-formed notifications that are refused permanently, with their codes.
    private static func refused() throws -> [(code: String, jws: String)] {
        let signed = try #require(Sample.notifications().first)
        let foreign = try JWSSigner(SigningAuthority.mint(SigningPlan()))
        let transaction = try #require(signed.transaction)
        return [
            ("signature_invalid", signed.jws.forged.text),
            ("chain_untrusted", foreign.sign(signed.jws.payload).text),
            ("claim_missing", transaction.text),
        ]
    }

    @Test func `what is refused is 403, and kept first when it is well-formed`() async throws {
        let test = try TestLedger()
        let refused = try Self.refused()
        try await test.calls { client in
            for (index, (code, jws)) in refused.enumerated() {
                let body = JSONValue.object(["signedPayload": .string(jws)]).serialized()
                try await client.post(Self.uri, body.utf8).expectProblem(code, .forbidden)
                #expect(try test.ledger.quarantine.size().items == index + 1)
            }
            try await client.post(Self.uri, #"{"signedPayload":"no.jws"}"#.utf8)
                .expectProblem("jws_malformed", .forbidden)
        }
        #expect(try test.ledger.quarantine.size().items == refused.count)
        #expect(try test.ledger.reader.log.size() == 0)
    }

    @Test func `what only our configuration refuses comes again later, and is kept`() async throws {
        let other = try TestLedger(apps: [TrustPolicy.App(bundleId: "com.example.other")])
        let sandbox = try TestLedger(
            apps: [TrustPolicy.App(bundleId: "com.example.app", environments: [.sandbox])])
        let body = try #require(Sample.notifications().first?.body)
        for (test, code) in [(other, "bundle_mismatch"), (sandbox, "environment_mismatch")] {
            try await test.calls { client in
                try await client.post(Self.uri, body).expectProblem(code, .serviceUnavailable)
            }
            #expect(try test.ledger.quarantine.size().items == 1)
        }
    }

    @Test func `another app's Apple ID is refused for good`() async throws {
        let test = try TestLedger(apps: [TrustPolicy.App(bundleId: "com.example.app", appAppleId: 1)])
        let body = try #require(Sample.notifications().first?.body)
        try await test.calls { client in
            try await client.post(Self.uri, body).expectProblem("app_apple_id_mismatch", .forbidden)
        }
    }

    @Test func `what cannot be kept for want of room comes again later`() async throws {
        let test = try TestLedger { $0.quarantine.items = 0 }
        let forged = try #require(Sample.notifications().first).jws.forged.text
        let body = JSONValue.object(["signedPayload": .string(forged)]).serialized()
        try await test.calls { client in
            try await client.post(Self.uri, body.utf8).expectProblem("signature_invalid", .serviceUnavailable)
        }
    }

    @Test func `a body beyond 1 MiB is 413, whether it says so or not`() async throws {
        let test = try TestLedger()
        let limit = 1_024 * 1_024
        let padded = #"{"signedPayload":""# + String(repeating: "a", count: limit) + #""}"#
        try await test.calls { client in
            try await client.post(Self.uri, padded.utf8).expectProblem("payload_too_large", .contentTooLarge)
            let chunked = try await client.execute(
                uri: Self.uri, method: .post, headers: [.contentType: "application/json", .contentLength: "10"],
                body: ByteBuffer(string: padded))
            try chunked.expectProblem("payload_too_large", .contentTooLarge)
        }
    }

    @Test(
        arguments: [
            ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("application/jsonp", 415),
            ("application/json", 200), ("application/json; charset=utf-8", 200), ("Application/JSON", 200),
        ])
    func `only JSON is taken`(_ type: String, _ status: Int) async throws {
        let test = try TestLedger()
        let body = try #require(Sample.notifications().first?.body)
        try await test.calls { client in
            let answer = try await client.post(Self.uri, body, [.contentType: type])
            if status == 415 {
                try answer.expectProblem("media_type_unsupported", .unsupportedMediaType)
            } else {
                #expect(answer.status.code == status)
            }
        }
    }

    @Test func `a body that does not say what it is is taken for JSON`() async throws {
        let test = try TestLedger()
        let body = try #require(Sample.notifications().first?.body)
        try await test.calls { client in
            let answer = try await client.post(Self.uri, body, [:])
            #expect(answer.status == .ok)
        }
    }

    @Test func `no key is asked for`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        let body = try #require(Sample.notifications().first?.body)
        try await test.calls { client in
            let answer = try await client.post(Self.uri, body)
            #expect(answer.status == .ok)
        }
    }

    @Test func `a ledger that is closing says busy`() async throws {
        let test = try TestLedger()
        let body = try #require(Sample.notifications().first?.body)
        try await test.calls { client in
            test.ledger.log.close()
            try await client.post(Self.uri, body).expectProblem("busy", .serviceUnavailable)
        }
    }

    /// Enough notifications to fill a map of 1 MiB several times.
    private static let bulk = BulkNotifications(count: 5_000)

    /// Posts notifications until one is refused.
    /// - Returns: the index of the refused one.
    private static func fill(_ test: TestLedger) async throws -> Int {
        try await test.calls { client in
            for (index, notification) in bulk.enumerated() {
                let before = try test.ledger.reader.log.head()
                let answer = try await client.post(uri, try #require(notification.body))
                guard answer.status != .ok else { continue }
                try answer.expectProblem("map_full", .serviceUnavailable)
                #expect(try test.ledger.reader.log.head() == before)
                #expect(before.size == UInt64(index))
                let first = try await client.post(uri, try #require(bulk[0].body))
                #expect(first.text == #"{"position":0,"duplicate":true}"#, "what is held is answered as ever")
                return index
            }
            throw Unfilled()
        }
    }

    private struct Unfilled: Error {}

    @Test func `a full map is 503, and with a larger one the same comes in`() async throws {
        let folder = TestLedger.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        var test: TestLedger? = try TestLedger(folder: folder) { $0.mapSizeBytes = 1 << 20 }
        let refused = try await Self.fill(try #require(test))
        let root = try test?.ledger.reader.log.head().root
        test = nil

        let larger = try TestLedger(folder: folder) { $0.mapSizeBytes = 1 << 24 }
        #expect(try larger.ledger.reader.log.head() == TreeHead(size: UInt64(refused), root: try #require(root)))
        try await larger.calls { client in
            for index in [refused, refused + 1, 0] {
                let answer = try await client.post(Self.uri, try #require(Self.bulk[index].body))
                #expect(answer.text == #"{"position":\#(index),"duplicate":\#(index == 0)}"#)
            }
        }
    }
}
