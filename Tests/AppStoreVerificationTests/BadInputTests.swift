import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Primitives
import Testing

@Suite("Bad input")
struct BadInputTests {
    @Test(arguments: BadInput.form)
    func `is refused by its form`(_ input: BadInput) async throws {
        try await expectRefusal(of: input)
    }

    @Test(arguments: BadInput.chains)
    func `is refused by its header or its chain`(_ input: BadInput) async throws {
        try await expectRefusal(of: input)
    }

    @Test(arguments: BadInput.signatures)
    func `is refused by its signature`(_ input: BadInput) async throws {
        try await expectRefusal(of: input)
    }

    @Test(arguments: BadInput.claims)
    func `is refused by its claims`(_ input: BadInput) async throws {
        try await expectRefusal(of: input)
    }

    @Test(arguments: BadInput.nested)
    func `is refused by what is nested in it`(_ input: BadInput) async throws {
        try await expectRefusal(of: input)
    }

    private func expectRefusal(of input: BadInput) async throws {
        let (bytes, trust) = try input.make()
        let refusal = await SignedDataVerifier(trust: trust).verify(bytes, as: input.kind).refusal
        #expect(refusal?.code.rawValue == input.code)
        #expect(refusal?.part == input.part)
    }

    @Test func `what is not even well-formed is not kept in quarantine, all else is`() {
        let forgotten = [
            "jws_malformed", "payload_not_json", "payload_duplicate_key", "payload_too_large", "payload_too_deep",
            "not_utf8", "kind_unknown",
        ]
        let kept = [
            "algorithm_unsupported", "certificate_count", "certificate_malformed", "environment_refused",
            "chain_untrusted", "chain_expired", "marker_missing_leaf", "marker_missing_intermediate",
            "signature_invalid", "bundle_mismatch", "app_apple_id_mismatch", "environment_mismatch",
            "nested_mismatch", "claim_missing", "date_out_of_range", "from_the_future", "certificate_denied",
            "channel_not_authenticated", "renewal_info_without_bundle", "claim_malformed",
        ]
        for code in forgotten { #expect(!RefusalCode(rawValue: code).isQuarantined, "\(code)") }
        for code in kept { #expect(RefusalCode(rawValue: code).isQuarantined, "\(code)") }
    }

    @Test func `a claim of the wrong type is named with the type expected and the type found`() async throws {
        let offers = JSONValue.array([.string("a"), .object([])])
        for (payload, claim, expected, found) in [
            (Sample.transaction(["expiresDate": .array([])]), "expiresDate", "number", "array"),
            (Sample.transaction(["transactionId": .object([])]), "transactionId", "string", "object"),
            (Sample.transaction(["isUpgraded": .integer(1)]), "isUpgraded", "boolean", "number"),
            (Sample.renewalInfo(["eligibleWinBackOfferIds": offers]), "eligibleWinBackOfferIds[1]", "string", "object"),
            (Sample.notification([:], part: "data", .bool(true)), "data", "object", "boolean"),
        ] {
            let jws = Sample.signer.sign(payload)
            let refusal = try #require(await SignedDataVerifier(trust: .sample).verify(jws.compact).refusal)
            #expect(refusal.code == .claimMalformed)
            #expect(refusal.reason.contains(" \(claim) "))
            #expect(refusal.expected == expected)
            #expect(refusal.found == found)
        }
    }

    @Test func `what a refusal quotes is short and steers no terminal`() async throws {
        for hostile in [
            "\u{1B}[2J" + String(repeating: "x", count: 10_000), "e" + String(repeating: "\u{301}", count: 10_000),
        ] {
            let jws = Sample.signer.sign(Sample.transaction(["bundleId": .string(hostile)]))
            let refusal = try #require(await SignedDataVerifier(trust: .sample).verify(jws.compact).refusal)
            let found = try #require(refusal.found)
            #expect(found.utf8.count < 600)
            #expect(!found.unicodeScalars.contains { $0.value < 0x20 })
        }
        let key = String(repeating: "k", count: 10_000)
        let jws = Sample.signer.sign(Array(#"{"\#(key)":1,"\#(key)":1}"#.utf8))
        let refusal = try #require(await SignedDataVerifier(trust: .sample).verify(jws.compact).refusal)
        #expect(refusal.reason.utf8.count + (refusal.found?.utf8.count ?? 0) < 600)
    }
}
