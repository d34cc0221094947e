import AppStoreSimulation
import Crypto
import EventLog
import HTTPTypes
import HummingbirdTesting
import LedgerAPI
import LedgerConfiguration
import LedgerServer
import Primitives
import SubscriptionLedger
import Testing

/// Customer tokens, with which a developer's backend names the customer of a device.
@Suite struct CustomerTokenTests {
    private static let key = P256.Signing.PrivateKey()
    private static let other = P256.Signing.PrivateKey()
    private static let headers: HTTPFields = TestKey(.app).headers + [.contentType: "application/json"]

    private func ledger() throws -> TestLedger {
        let pem = Array(Self.key.publicKey.pemRepresentation.utf8)
        return try TestLedger(
            keys: TestKey.all,
            customerTokens: CustomerTokens(["k1": try CustomerTokens.publicKey(pem: pem, file: "k1.pem")]))
    }

    private static func token(
        _ claims: String, header: String = #"{"alg":"ES256","kid":"k1"}"#, key: P256.Signing.PrivateKey = key
    ) throws -> String {
        let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8)))"
        let signature = try key.signature(for: Array(input.utf8)).rawRepresentation
        return "\(input).\(Base64URL.encode(Array(signature)))"
    }

    private static func posting(_ token: String, _ index: Int = 0) -> [UInt8] {
        let body = JSONValue.object([
            "signedTransactions": .array([.string(Sample.notifications()[index].transactionText)]),
            "customerToken": .string(token),
        ])
        return Array(body.serialized().utf8)
    }

    /// The server's time in seconds since 1970.
    private static var now: Int64 { Sample.end.milliseconds / 1_000 }

    @Test func `an app posts for the customer of a token`() async throws {
        let test = try ledger()
        let token = try Self.token(#"{"sub":"alice","exp":\#(Self.now + 1)}"#)
        try await test.calls { client in
            let answer = try await client.post("/v1/transactions", Self.posting(token), Self.headers)
            #expect(answer.status == .ok)
            #expect(try answer.json()["customer"]?["id"]?.string == "alice")
            #expect(try answer.json()["customer"]?["subscriptions"]?.elements?.count == 1)
            let seen = try await client.get("/v1/customers/alice", TestKey(.backend).headers).json()
            #expect(seen["subscriptions"]?.elements?.count == 1)
        }
        let link = try #require(try test.ledger.reader.event(at: 1, facts: false)?.json.serialized())
        #expect(link.contains(#""by":"app""#) && link.contains(#""key":"app""#))
        #expect(!link.contains("alice"))
    }

    /// The header, the claims, whether our key signs them, and the expected code.
    private static let bad: [(header: String, claims: String, isOurs: Bool, code: String)] = [
        (#"{"alg":"ES256","kid":"k1"}"#, #"{"sub":"alice","exp":\#(now)}"#, true, "customer_token_expired"),
        (#"{"alg":"ES256","kid":"k1"}"#, #"{"sub":"alice"}"#, true, "customer_token_malformed"),
        (#"{"alg":"ES256","kid":"k1"}"#, #"{"exp":\#(now + 9)}"#, true, "customer_token_malformed"),
        (#"{"alg":"ES256","kid":"k1"}"#, #"{"sub":"alice","exp":"soon"}"#, true, "customer_token_malformed"),
        (
            #"{"alg":"ES256","kid":"k1"}"#, #"{"sub":"alice","exp":\#(now + 9),"nbf":\#(now + 1)}"#, true,
            "customer_token_not_yet_valid"
        ),
        (#"{"alg":"ES256","kid":"k2"}"#, #"{"sub":"alice","exp":\#(now + 9)}"#, true, "customer_token_key_unknown"),
        (#"{"alg":"ES256"}"#, #"{"sub":"alice","exp":\#(now + 9)}"#, true, "customer_token_key_unknown"),
        (#"{"alg":"none","kid":"k1"}"#, #"{"sub":"alice","exp":\#(now + 9)}"#, true, "customer_token_malformed"),
        (#"{"alg":"HS256","kid":"k1"}"#, #"{"sub":"alice","exp":\#(now + 9)}"#, true, "customer_token_malformed"),
        (
            #"{"alg":"ES256","kid":"k1"}"#, #"{"sub":"alice","exp":\#(now + 9)}"#, false,
            "customer_token_signature_invalid"
        ),
        (#"{"alg":"ES256","kid":"k1"}"#, #"{"sub":"","exp":\#(now + 9)}"#, true, "customer_id_invalid"),
    ]

    @Test(arguments: 0..<11) func `a token that does not hold is refused, and nothing is written`(
        index: Int
    ) async throws {
        let row = Self.bad[index]
        let test = try ledger()
        let token = try Self.token(row.claims, header: row.header, key: row.isOurs ? Self.key : Self.other)
        try await test.calls { client in
            let answer = try await client.post("/v1/transactions", Self.posting(token), Self.headers)
            let isMalformed = row.code == "customer_token_malformed" || row.code == "customer_id_invalid"
            try answer.expectProblem(row.code, isMalformed ? .badRequest : .forbidden)
            #expect(!answer.text.contains("alice"))
        }
        #expect(try test.ledger.reader.log.size() == 0)
    }

    @Test(arguments: ["", "a.b", "a.b.c", "....", "e30.e30.e30"])
    func `another text is no token`(text: String) async throws {
        let test = try ledger()
        try await test.calls { client in
            try await client.post("/v1/transactions", Self.posting(text), Self.headers)
                .expectProblem("customer_token_malformed", .badRequest)
        }
    }

    @Test func `an app may not name a customer by its id, nor beside a token`() async throws {
        let test = try ledger()
        let transaction = Sample.notifications()[0].transactionText
        let token = try Self.token(#"{"sub":"alice","exp":\#(Self.now + 1)}"#)
        try await test.calls { client in
            let plain = #"{"signedTransactions":["\#(transaction)"],"customerId":"bob"}"#
            try await client.post("/v1/transactions", plain.utf8, Self.headers)
                .expectProblem("role_forbidden", .forbidden)
            let both = #"{"signedTransactions":["\#(transaction)"],"customerId":"bob","customerToken":"\#(token)"}"#
            try await client.post("/v1/transactions", both.utf8, Self.headers)
                .expectProblem("posting_malformed", .badRequest)
        }
    }

    @Test func `a key that is none is refused at start`() {
        for text in ["", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"] {
            #expect(throws: ConfigurationError.self) {
                try CustomerTokens.publicKey(pem: Array(text.utf8), file: "k1.pem")
            }
        }
    }
}
