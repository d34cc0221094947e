import HTTPTypes
import Primitives
import Testing

@Suite struct AnalysisRoutesTests {
    @Test func `answer as the commands do, with the limits of a question`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        try await test.calls { client in
            let cohorts = try await client.get("/v1/cohorts?by=week&cut=product,storefront").json()
            #expect(cohorts["by"]?.string == "week")
            #expect(cohorts["cut"]?.elements?.compactMap(\.string) == ["product", "storefront"])
            #expect(cohorts["signedBy"] == nil)
            let early = try await client.get("/v1/revenue?charges=true&signedBy=2000-01-01").json()
            #expect(early["rows"]?.elements?.isEmpty == true)
            #expect(early["signedBy"]?.string == "2000-01-01T00:00:00.000Z")
            #expect(early["signedLater"]?.integer == 0)
            for query in ["", "?segment=churned", "?segment=inRetry&by=day", "?curve=true", "?funnel=true"] {
                let churn = try await client.get("/v1/churn" + query).json()
                #expect(churn["rows"]?.elements != nil, "\(query)")
            }
            for query in ["?mrr=default", "?refunds=sale", "?charges=true&currency=USD"] {
                #expect(try await client.get("/v1/revenue" + query).json()["rows"]?.elements != nil, "\(query)")
            }
        }
    }

    @Test(
        arguments: [
            ("/v1/cohorts?definition=revenuecat-2025-01", "definition_unknown"),
            ("/v1/cohorts?by=year", "definition_unknown"), ("/v1/cohorts?zone=America/Berlin", "zone_unknown"),
            ("/v1/cohorts?cell=2026-01", "parameter_invalid"), ("/v1/churn?segment=gone", "definition_unknown"),
            ("/v1/churn?segment=winBack&by=day", "parameter_invalid"), ("/v1/churn?cut=product", "parameter_invalid"),
            ("/v1/revenue?mrr=default&cut=product", "parameter_invalid"),
            ("/v1/revenue?charges=true&by=day", "parameter_invalid"),
            ("/v1/revenue?refunds=never", "parameter_invalid"),
        ])
    func `refuse what they do not know, and what would change nothing`(_ uri: String, _ code: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in try await client.get(uri).expectProblem(code, .badRequest) }
    }
}
