import AppStoreSimulation
import HTTPTypes
import HummingbirdTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite struct ErasureRoutesTests {
    private static func post(_ client: any TestClientProtocol, customer: String) async throws {
        let body = JSONValue.object([
            "signedTransactions": .array(Sample.notifications().map { .string($0.transactionText) }),
            "customerId": .string(customer),
        ])
        _ = try await client.post("/v1/transactions", body.serialized().utf8)
    }

    @Test func `a report has what was posted, and an erasure with evidence leaves nothing to report`() async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await Self.post(client, customer: "al/ice@example.com")
            let path = "/v1/customers/al%2Fice%40example.com"
            let report = try await client.get(path + "/report")
            #expect(report.status == .ok)
            let json = try report.json()
            #expect(json["id"]?.string == "al/ice@example.com")
            #expect(json["transactions"]?.elements?.isEmpty == false && json["events"]?.elements?.isEmpty == false)

            let erasure = try await client.post(path + "/erase", "{\"withEvidence\":true}".utf8)
            #expect(erasure.status == .ok)
            let answer = try erasure.json()
            #expect(answer["erased"]?.bool == true && answer["withEvidence"]?.bool == true)
            let position = try #require(answer["position"]?.integer)
            #expect(try await client.get("/v1/evidence/\(position)").headers[.contentType] == "application/x-ndjson")
            try await client.get("/v1/evidence/0").expectProblem("evidence_erased", .gone)
            #expect(try await client.get("/v1/evidence?limit=1").bytes == Array(repeating: 0, count: 12))
            let row = try await client.get("/v1/events?limit=1").json()
            #expect(row["evidence"]?["erasedBy"]?.integer == position)
            let unknown = try await client.get(path).json()
            #expect(unknown["subscriptions"]?.elements?.isEmpty == true && unknown["entitled"]?.bool == false)
            try await client.get(path + "/report").expectProblem("customer_unknown", .notFound)

            let again = try await client.post(path + "/erase", "{}".utf8)
            #expect(again.status == .ok)
            #expect(try again.json()["erased"]?.bool == false)
        }
    }

    @Test func `a body that is not a request is refused`() async throws {
        let test = try TestLedger()
        try await test.calls { client in
            for body in ["{\"withEvidence\":1}", "{\"evidence\":true}", "[]"] {
                try await client.post("/v1/customers/alice/erase", body.utf8).expectProblem(
                    "posting_malformed", .badRequest)
            }
            try await client.get("/v1/customers/alice/report?x=1").expectProblem("parameter_invalid", .badRequest)
        }
    }
}
