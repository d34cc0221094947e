import AppStoreVerification
import HTTPTypes
import HummingbirdTesting
import LedgerAPI
import Primitives
import SubscriptionLedger
import Testing

@Suite struct SubscriptionRouteTests {
    private static let uri = "/v1/subscriptions/\(Sample.originalTransactionId)"

    @Test(arguments: ["", "/history"])
    func `it answers as the command does`(_ suffix: String) async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        let selector = SubscriptionSelector(originalTransactionId: Sample.originalTransactionId)
        var question = AsOfQuery(asOf: test.clock.now)
        func expected() throws -> String? {
            suffix.isEmpty
                ? try test.ledger.reader.state(of: selector, question)?.json.serialized()
                : try test.ledger.reader.history(of: selector, question)?.json.serialized()
        }
        let now = try #require(try expected())
        question.asOf = try #require(Instant(iso8601: "2025-03-01T12:00:00+02:00"))
        question.knownAt = .size(2)
        let then = try #require(try expected())
        #expect(now != then)
        try await test.calls { client in
            let answer = try await client.get(Self.uri + suffix)
            #expect(answer.text == now)
            for asOf in ["2025-03-01T12:00:00%2B02:00", "2025-03-01T12:00:00+02:00", "1740823200000"] {
                let answer = try await client.get(Self.uri + suffix + "?asOf=\(asOf)&knownAt=2")
                #expect(answer.text == then)
            }
        }
    }

    @Test func `the history can be explained`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        try await test.calls { client in
            let answer = try await client.get(Self.uri + "/history?explain=true")
            let transition = try answer.json()["subscriptions"]?.elements?.first?["transitions"]?.elements?.first
            #expect(transition?["explanation"]?.string?.isEmpty == false)
        }
    }

    @Test func `environment and app select, and an unknown subscription is 404`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        try await test.calls { client in
            let matching = try await client.get(Self.uri + "?environment=Production&bundleId=com.example.app")
            #expect(matching.status == .ok)
            for uri in [
                Self.uri + "?environment=Sandbox", Self.uri + "?bundleId=com.example.other", "/v1/subscriptions/1",
                "/v1/subscriptions/1/history", Self.uri + "?knownAt=0",
            ] {
                try await client.get(uri).expectProblem("subscription_unknown", .notFound)
            }
        }
    }

    @Test(
        arguments: [
            "asof=2025-01-01", "asOf=yesterday", "signedBy=yesterday", "asOf=", "knownAt=x", "environment=Prod",
            "asOf=%FF",
            "asOf=2025-01-01&asOf=2025-01-02", "bundleId=%4", "explain=true",
        ])
    func `a parameter that cannot be meant is 400`(_ query: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await client.get(Self.uri + "?" + query).expectProblem("parameter_invalid", .badRequest)
        }
    }

    @Test(
        arguments: [
            ("asof=2025-01-01", "environment, bundleId, asOf, knownAt, signedBy, atLeast", "asof"),
            ("knownAt=1&knownAt=1", "one value", "several values"),
        ])
    func `an unknown parameter is told from one given twice`(
        _ query: String, _ expected: String, _ found: String
    ) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            let problem = try await client.get(Self.uri + "?" + query).json()
            #expect(problem["expected"]?.string == expected)
            #expect(problem["found"]?.string == found)
        }
    }

    @Test(arguments: ["/v1/subscriptions/%ZZ", "/v1/customers/%FF"])
    func `a path that is no text is 400`(_ path: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await client.get(path).expectProblem("parameter_invalid", .badRequest)
        }
    }
}
