import AppStoreClient
import AppStoreModel
import AppStoreSimulation
import Crypto
import EventLog
import Ingestion
import LedgerAPI
import LedgerConfiguration
import LedgerModel
import Primitives
import SubscriptionLedger
import Testing

@Suite struct `A signed offer` {
    private static let start = Instant(milliseconds: SampleArtifact.signedDate)
    private static let key = P256.Signing.PrivateKey()

    /// A ledger with a subscriber who used a free trial, one who did not, and a catalogue.
    private struct World {
        let ledger: FeedLedger
        let signer: OfferSigner

        init(hasCatalog: Bool = true) async throws {
            ledger = try FeedLedger(at: start)
            let credentials = try ServerAPICredentials(
                issuerId: "issuer", keyId: "KEY1", bundleId: SampleArtifact.bundleId,
                privateKeyPEM: key.pemRepresentation)
            signer = OfferSigner(ledger.ledger, [SampleArtifact.bundleId: credentials])
            try await subscribe(
                "ann", id: "1000", ["offerType": .integer(1), "offerDiscountType": .string("FREE_TRIAL")])
            try await subscribe("bob", id: "2000")
            try await subscribe("cyd", id: "3000", ["inAppOwnershipType": .string("FAMILY_SHARED")])
            guard hasCatalog else { return }
            let yaml = """
                version: 1
                bundleId: \(SampleArtifact.bundleId)
                groups: [{id: "1"}]
                products:
                  - {id: pro, type: autoRenewable, group: "1", duration: P1M, offers: [
                      {id: back, kind: promotional, payment: payAsYouGo, period: P1M, periods: 1},
                      {id: code, kind: offerCode, payment: payAsYouGo, period: P1M, periods: 1}]}
                """
            _ = try await ledger.ledger.apply(CatalogFile(text: yaml, name: "catalog.yaml"))
        }

        func subscribe(_ customer: String, id: String, _ changes: SampleArtifact.Changes = [:]) async throws {
            var fields: SampleArtifact.Changes = [
                "transactionId": .string(id), "originalTransactionId": .string(id),
                "environment": .string("Production"), "subscriptionGroupIdentifier": .string("1"),
                "purchaseDate": .integer(start.milliseconds - 60 * Instant.millisecondsPerDay),
                "expiresDate": .integer(start.milliseconds - 30 * Instant.millisecondsPerDay),
            ]
            for (name, value) in changes { fields[name] = value }
            let transaction = SampleArtifact.transaction(fields)
            let posted = try await ledger.ledger.post(
                TransactionPosting(signedTransactions: [transaction.text], customerId: customer), by: .backend)
            #expect(posted.finish.count == 1)
        }

        func sign(
            _ customer: String, _ offerId: String?, product: String = "pro", key: String? = nil,
            more: [JSONValue.Member] = [], limits: KeyLimits = KeyLimits()
        ) async throws -> OfferSignatureAnswer {
            let body = JSONValue.object(
                [
                    .init("customerId", .string(customer)), .init("productId", .string(product)),
                    .init("offerId", JSONValue(offerId)),
                ] + more)
            let request = try OfferSignatureRequest(
                body: JSONDocument(parsing: Array(body.serialized().utf8)).root, idempotencyKey: key)
            return try await signer.sign(
                request, by: .backend, scope: CustomerScope(limits: limits), source: .http)
        }

        func refusal(
            _ customer: String, _ offerId: String?, product: String = "pro", more: [JSONValue.Member] = [],
            limits: KeyLimits = KeyLimits()
        ) async throws -> String {
            do {
                _ = try await sign(customer, offerId, product: product, more: more, limits: limits)
                return "signed"
            } catch let error as CustomerError {
                return "\(error.code.rawValue): \(error.diagnosis.found ?? "")"
            }
        }

        /// Signs an offer for ann, and returns the terms.
        func bodyAfterSigning() async throws -> String {
            _ = try await sign("ann", "back")
            return try bodies.last { $0.kind == .actRequested }?.body ?? ""
        }

        var bodies: [(kind: EventKind, body: String)] {
            get throws {
                try (0..<ledger.ledger.reader.knownSize(nil)).compactMap { position in
                    try ledger.ledger.reader.log.record(at: position)
                }
                .filter { [.actRequested, .actAnswered].contains($0.kind) }
                .map { ($0.kind, String(decoding: $0.body, as: UTF8.self)) }
            }
        }
    }

    private static func claims(_ jws: String) throws -> (header: JSONView, payload: JSONView) {
        let parts = jws.split(separator: ".")
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Base64URL.decode(String(parts[2]))))
        #expect(key.publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
        func json(_ part: Substring) throws -> JSONView {
            try JSONDocument(parsing: try #require(Base64URL.decode(String(part)))).root
        }
        return (try json(parts[0]), try json(parts[1]))
    }

    @Test func `of a promotion has both signatures of Apple's, over the same terms`() async throws {
        let world = try await World()
        let token = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"
        let answer = try await world.sign("ann", "back", more: [.init("appAccountToken", .string(token))])
        #expect(answer.bundleId == SampleArtifact.bundleId && answer.productId == "pro" && answer.offerId == "back")
        #expect(answer.keyId == "KEY1" && answer.transactionId == "1000" && answer.timestamp == Self.start)
        let text = [
            SampleArtifact.bundleId, "KEY1", "pro", "back", token.lowercased(), answer.nonce,
            "\(Self.start.milliseconds)",
        ].joined(separator: "\u{2063}")
        let der = try #require(answer.signature.flatMap { Base64.decode($0) })
        #expect(
            Self.key.publicKey.isValidSignature(
                try P256.Signing.ECDSASignature(derRepresentation: der), for: Array(text.utf8)))
        let (header, payload) = try Self.claims(answer.jws)
        #expect(header["alg"]?.string == "ES256" && header["kid"]?.string == "KEY1")
        #expect(
            payload.members.map(\.key).sorted()
                == ["aud", "bid", "iat", "iss", "nonce", "offerIdentifier", "productId", "transactionId"])
        #expect(payload["aud"]?.string == "promotional-offer" && payload["iss"]?.string == "issuer")
        #expect(payload["nonce"]?.string == answer.nonce && payload["offerIdentifier"]?.string == "back")
        #expect(payload["iat"]?.integer == Self.start.milliseconds / 1_000)
        #expect(try await world.sign("ann", "back").nonce != answer.nonce)
    }

    @Test func `of the introduction says that the customer may get it`() async throws {
        let world = try await World()
        let answer = try await world.sign("bob", nil)
        #expect(answer.signature == nil && answer.offerId == nil && answer.transactionId == "2000")
        let (_, payload) = try Self.claims(answer.jws)
        #expect(
            payload.members.map(\.key).sorted()
                == ["allowIntroductoryOffer", "aud", "bid", "iat", "iss", "nonce", "productId", "transactionId"])
        #expect(payload["allowIntroductoryOffer"]?.bool == true)
        #expect(payload["aud"]?.string == "introductory-offer-eligibility")
    }

    @Test func `is refused to whoever may not get it, with the transaction that decides`() async throws {
        let world = try await World()
        #expect(try await world.refusal("ann", nil) == "offer_ineligible: consumed, transaction 1000, event 0")
        #expect(try await world.refusal("new", "back") == "offer_ineligible: neverSubscribed")
        #expect(try await world.refusal("cyd", "back") == "offer_ineligible: familyShared, transaction 3000")
        #expect(try await world.refusal("new", nil) == "transaction_unknown: none")
        #expect(try await world.refusal("ann", "code") == "offer_unknown: product pro, offer code")
        #expect(try await world.refusal("ann", "none") == "offer_unknown: product pro, offer none")
        #expect(try await world.refusal("ann", "back", product: "none") == "offer_unknown: product none, offer back")
        #expect(try await world.refusal("ann", nil, product: "none") == "offer_ineligible: groupUnknown")
        #expect(
            try await world.refusal("ann", "back", more: [.init("bundleId", .string("com.example.other"))])
                == "key_not_configured: none")
        #expect(
            try await world.refusal("ann", "back", limits: KeyLimits(bundleIds: ["com.example.other"]))
                == "role_forbidden: another")
        #expect(try world.bodies.isEmpty, "a refusal leaves no event")
    }

    @Test func `is refused to whoever posted the purchase of somebody else`() async throws {
        let world = try await World()
        try await world.subscribe("mallory", id: "2000")
        #expect(try await world.refusal("mallory", "back") == "offer_ineligible: neverSubscribed")
        #expect(try await world.sign("bob", "back").transactionId == "2000")
    }

    @Test func `needs no catalogue`() async throws {
        let world = try await World(hasCatalog: false)
        #expect(try await world.sign("ann", "back").offerId == "back")
        #expect(try await world.refusal("new", "back") == "offer_ineligible: neverSubscribed")
    }

    @Test func `is an event before and after, without the signatures`() async throws {
        let world = try await World()
        let answer = try await world.sign("ann", "back")
        let bodies = try world.bodies
        #expect(bodies.map(\.kind) == [.actRequested, .actAnswered])
        #expect(bodies[0].body.contains(answer.nonce) && bodies[0].body.contains(#""offerId":"back""#))
        for body in bodies.map(\.body) {
            #expect(!body.contains(answer.jws) && !body.contains(answer.signature ?? "-") && !body.contains("ann"))
        }
    }

    @Test func `has the same terms when the same request comes again`() async throws {
        let world = try await World()
        let first = try await world.sign("ann", "back", key: "order 7")
        world.ledger.clock.now = Self.start.advanced(byMilliseconds: 5_000)
        let second = try await world.sign("ann", "back", key: "order 7")
        #expect(second.nonce == first.nonce && second.timestamp == first.timestamp)
        #expect(try world.bodies.count == 2)
        for (customer, offer) in [("bob", "back"), ("ann", nil)] as [(String, String?)] {
            await #expect(throws: CustomerError.self) { _ = try await world.sign(customer, offer, key: "order 7") }
        }
        #expect(try await world.sign("ann", "back", key: "order 8").nonce != first.nonce)
    }

    @Test func `has the same terms when the same request comes again after a merge`() async throws {
        let world = try await World()
        let first = try await world.sign("ann", "back", key: "order 7")
        _ = try await world.ledger.ledger.merge(
            .id("ann"), into: "bob", by: .admin, scope: CustomerScope(), source: .operator)
        #expect(try await world.sign("ann", "back", key: "order 7").nonce == first.nonce)
        let second = try await world.sign("ann", "back", key: "order 8")
        #expect(try await world.sign("ann", "back", key: "order 8").nonce == second.nonce)
    }

    @Test func `has the token of the request among its terms`() async throws {
        let world = try await World()
        let tokens = ["3f2504e0-4f89-41d3-9a0c-0305e82c3301", "3f2504e0-4f89-41d3-9a0c-0305e82c3302"]
        let first = try await world.sign(
            "ann", "back", key: "order 7", more: [.init("appAccountToken", .string(tokens[0]))])
        let again = try await world.sign(
            "ann", "back", key: "order 7", more: [.init("appAccountToken", .string(tokens[0].uppercased()))])
        #expect(again.nonce == first.nonce)
        for more in [[], [JSONValue.Member("appAccountToken", .string(tokens[1]))]] {
            let error = await #expect(throws: CustomerError.self) {
                _ = try await world.sign("ann", "back", key: "order 7", more: more)
            }
            #expect(error?.code == .idempotencyKeyReused)
        }
    }

    @Test func `is recorded as signed when the request comes again after a crash`() async throws {
        let world = try await World()
        let answer = try await world.sign("ann", "back", key: "order 7")
        let requested = try #require(try world.bodies.first).body
        let crashed = try await World()
        let act = ActEvents.Act(
            "signOffer", idempotencyKey: Array("order 7".utf8), environment: .production,
            EventOrigin(source: .http, keyName: nil))
        let handle = try JSONDocument(parsing: Array(try await crashed.bodyAfterSigning().utf8)).root["handle"]
        let terms = try JSONDocument(parsing: Array(requested.utf8)).root.members
            .filter { $0.key != "act" }
            .map { JSONValue.Member($0.key, JSONValue($0.key == "handle" ? handle ?? $0.value : $0.value)) }
        let draft = ActEvents.requested(act, terms)
        let prepared = CheckedArtifact.accepted(crashed.ledger.ledger.log.prepare(draft))
        _ = try await crashed.ledger.ledger.append([prepared], source: .http)
        let before = try crashed.bodies.map(\.kind)
        #expect(before.last == .actRequested)
        for _ in 0..<2 {
            #expect(try await crashed.sign("ann", "back", key: "order 7").nonce == answer.nonce)
            #expect(try crashed.bodies.map(\.kind) == before + [.actAnswered])
        }
    }
}
