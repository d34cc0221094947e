import AppStoreModel
import AppStoreSimulation
import HTTPTypes
import HummingbirdTesting
import LedgerConfiguration
import LedgerServer
import Primitives
import Testing

/// A call of a route, and the roles to which the contract permits it; nil if it needs no key.
struct RouteCall: Sendable {
    let method: HTTPRequest.Method
    let template: String
    let uri: String
    let roles: Set<Role>?

    init(_ method: HTTPRequest.Method, _ template: String, _ uri: String? = nil, _ roles: Set<Role>?) {
        self.method = method
        self.template = template
        self.uri = uri ?? template
        self.roles = roles
    }

    private static let readers: Set<Role> = [.backend, .analyst, .auditor, .admin]

    static let all = [
        RouteCall(.post, "/v1/app-store/notifications", nil, nil),
        RouteCall(.post, "/v1/transactions", nil, [.app, .backend, .admin]),
        RouteCall(.get, "/v1/customers/{id}", "/v1/customers/a", readers),
        RouteCall(.get, "/v1/customers/{id}/history", "/v1/customers/a/history", readers),
        RouteCall(.post, "/v1/customers/{id}/identify", "/v1/customers/a/identify", [.backend, .admin]),
        RouteCall(.post, "/v1/customers/{id}/link", "/v1/customers/a/link", [.admin]),
        RouteCall(.post, "/v1/customers/{id}/merge", "/v1/customers/a/merge", [.admin]),
        RouteCall(.post, "/v1/customers/{id}/unmerge", "/v1/customers/a/unmerge", [.admin]),
        RouteCall(.post, "/v1/customers/{id}/transfer", "/v1/customers/a/transfer", [.admin]),
        RouteCall(.post, "/v1/customers/{id}/grant", "/v1/customers/a/grant", [.admin]),
        RouteCall(.post, "/v1/customers/{id}/erase", "/v1/customers/a/erase", [.admin]),
        RouteCall(.get, "/v1/customers/{id}/report", "/v1/customers/a/report", [.admin]),
        RouteCall(.get, "/v1/subscriptions/{originalTransactionId}", "/v1/subscriptions/1", readers),
        RouteCall(.get, "/v1/subscriptions/{originalTransactionId}/history", "/v1/subscriptions/1/history", readers),
        RouteCall(
            .get, "/v1/subscriptions/{originalTransactionId}/customer", "/v1/subscriptions/1/customer", readers),
        RouteCall(.get, "/v1/offers", "/v1/offers?customer=a", readers),
        RouteCall(
            .put, "/v1/customers/{id}/consumption-consent", "/v1/customers/a/consumption-consent", [.backend, .admin]),
        RouteCall(.post, "/v1/offer-signatures", nil, [.backend, .admin]),
        RouteCall(.post, "/v1/imports", nil, [.backend, .admin]),
        RouteCall(.get, "/v1/cohorts", "/v1/cohorts", [.analyst, .auditor, .admin]),
        RouteCall(.get, "/v1/churn", "/v1/churn", [.analyst, .auditor, .admin]),
        RouteCall(.get, "/v1/revenue", "/v1/revenue", [.analyst, .auditor, .admin]),
        RouteCall(.get, "/v1/events", nil, [.backend, .analyst, .auditor, .admin]),
        RouteCall(.get, "/v1/transitions", nil, [.backend, .analyst, .auditor, .admin]),
        RouteCall(.get, "/v1/evidence/{position}", "/v1/evidence/0", [.auditor, .admin]),
        RouteCall(.get, "/v1/evidence", nil, [.auditor, .admin]),
        RouteCall(.get, "/checkpoint", nil, [.auditor, .admin]),
        RouteCall(.get, "/tile/{path}", "/tile/0/000", [.auditor, .admin]),
        RouteCall(.get, "/healthz", nil, nil),
        RouteCall(.get, "/readyz", nil, nil),
        RouteCall(.get, "/metrics", nil, [.analyst, .auditor, .admin]),
        RouteCall(.get, "/openapi.yaml", nil, nil),
    ]

    func make(_ client: any TestClientProtocol, _ headers: HTTPFields = [:]) async throws -> TestResponse {
        switch method {
        case .post: try await client.post(uri, "{}".utf8, headers)
        case .put: try await client.put(uri, "{}".utf8, headers)
        default: try await client.get(uri, headers)
        }
    }
}

@Suite struct AccessTests {
    @Test func `the table has every route`() throws {
        let test = try TestLedger()
        let routes = test.server.routes.map { "\($0.method) \($0.template)" }
        #expect(routes == RouteCall.all.map { "\($0.method) \($0.template)" })
    }

    @Test func `each role may do what the contract lets it do, and nothing else`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        try await test.calls { client in
            for call in RouteCall.all {
                for key in TestKey.all {
                    let answer = try await call.make(client, key.headers)
                    if let roles = call.roles, !roles.contains(key.role) {
                        try answer.expectProblem("role_forbidden", .forbidden)
                        let problem = try answer.json()
                        #expect(problem["found"]?.string == key.role.rawValue)
                    } else {
                        let isForbidden = answer.status == .unauthorized || answer.status == .forbidden
                        #expect(!isForbidden, "\(call.uri) \(key.role)")
                    }
                }
            }
        }
    }

    @Test func `without a key only what is for anybody is answered`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        try await test.calls { client in
            for call in RouteCall.all {
                let answer = try await call.make(client)
                guard call.roles != nil else {
                    #expect(answer.status != .unauthorized)
                    continue
                }
                try answer.expectProblem("key_missing", .unauthorized)
                #expect(answer.headers[.wwwAuthenticate] == "Bearer")
            }
        }
    }

    @Test func `public tiles are for anybody, and nothing else is`() async throws {
        let test = try TestLedger(keys: TestKey.all, publicTiles: true)
        try await test.calls { client in
            for call in RouteCall.all where call.roles != nil {
                let answer = try await call.make(client)
                let isPublic = call.template == "/checkpoint" || call.template == "/tile/{path}"
                #expect((answer.status == .unauthorized) == !isPublic, "\(call.uri)")
            }
        }
    }

    @Test func `metrics without a key are for anybody, and nothing else is`() async throws {
        let test = try TestLedger(keys: TestKey.all, metricsKey: false)
        try await test.calls { client in
            for call in RouteCall.all where call.roles != nil {
                let answer = try await call.make(client)
                #expect((answer.status == .unauthorized) == (call.template != "/metrics"), "\(call.uri)")
            }
        }
    }

    @Test(
        arguments: [
            ("Basic c2w6c2w=", "key_missing"), ("Bearer", "key_missing"), ("", "key_missing"),
            ("Bearer sl_admin_x", "key_unknown"), ("Bearer  ", "key_missing"),
            ("Bearer \(TestKey(.admin).text.dropLast())", "key_unknown"),
            ("Bearer \(TestKey(.admin).text.uppercased())", "key_unknown"),
        ])
    func `what is no key of ours is 401`(_ authorization: String, _ code: String) async throws {
        let test = try TestLedger(keys: TestKey.all)
        try await test.calls { client in
            let answer = try await client.get("/v1/events", [.authorization: authorization])
            try answer.expectProblem(code, .unauthorized)
            #expect(!answer.text.contains(TestKey(.admin).text.dropLast()))
        }
    }

    @Test func `the scheme may be written in any case`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        try await test.calls { client in
            let headers: HTTPFields = [.authorization: "bearer \(TestKey(.admin).text)"]
            let answer = try await client.get("/v1/events", headers)
            #expect(answer.status == .ok)
        }
    }

    @Test func `without configured keys everybody is an administrator`() async throws {
        let test = try TestLedger()
        try await test.calls { client in
            for call in RouteCall.all {
                let answer = try await call.make(client)
                #expect(answer.status != .unauthorized && answer.status != .forbidden, "\(call.uri)")
            }
        }
    }

    @Test func `a key calls as often as it is configured to`() async throws {
        let slow = TestKey(.backend, callsPerSecond: 3, burst: 6)
        let test = try TestLedger(keys: [slow, TestKey(.admin)])
        try await test.calls { client in
            for _ in 0..<6 { #expect(try await client.get("/v1/customers/a", slow.headers).status == .ok) }
            let refused = try await client.get("/v1/customers/a", slow.headers)
            try refused.expectProblem("rate_limited", .tooManyRequests)
            #expect(refused.headers[.retryAfter] == "1")
            #expect(try refused.json()["expected"]?.string == "3 requests per second, bursts of 6")
            // Another key has its own limit, and public routes have none.
            #expect(try await client.get("/v1/customers/a", TestKey(.admin).headers).status == .ok)
            #expect(try await client.get("/healthz", slow.headers).status == .ok)

            test.time.advance(by: .seconds(1))
            for _ in 0..<3 { #expect(try await client.get("/v1/customers/a", slow.headers).status == .ok) }
            try await client.get("/v1/customers/a", slow.headers).expectProblem("rate_limited", .tooManyRequests)
        }
    }

    @Test func `an app's key calls a tenth as often as others unless configured`() {
        let rates = Role.allCases.map { role in
            let key = TestKey(role).configured
            return [key.callsPerSecond, key.burst]
        }
        #expect(rates == [[100, 200]] + [[Int]](repeating: [1_000, 2_000], count: 4))
    }

    @Test func `a limited key sees its apps and environments, and no route that shows all`() async throws {
        let limited = TestKey(.admin, bundleIds: ["com.example.app"], environments: [.sandbox])
        let test = try TestLedger(keys: [limited])
        try await test.append(Sample.notifications())
        try await test.calls { client in
            for call in RouteCall.all where call.roles != nil {
                let answer = try await call.make(client, limited.headers)
                // A report has every app and environment.
                let isReport = call.template.hasSuffix("/report")
                let isLimitable =
                    call.method == .get && !isReport
                    ? ["/v1/customers", "/v1/subscriptions", "/v1/offers", "/v1/cohorts", "/v1/churn", "/v1/revenue"]
                        .contains { call.template.hasPrefix($0) }
                    : ["/v1/transactions", "/v1/customers/{id}/identify", "/v1/offer-signatures"].contains(
                        call.template)
                #expect((answer.status == .forbidden) == !isLimitable, "\(call.template)")
            }
            let id = Sample.originalTransactionId
            try await client.get("/v1/subscriptions/\(id)", limited.headers)
                .expectProblem("subscription_unknown", .notFound)
            try await client.get("/v1/customers/a?environment=Production", limited.headers)
                .expectProblem("role_forbidden", .forbidden)
            try await client.get("/v1/customers/a?bundleId=com.example.other", limited.headers)
                .expectProblem("role_forbidden", .forbidden)
            #expect(try await client.get("/v1/customers/a", limited.headers).status == .ok)
        }
    }

    @Test func `the App Store is not limited by how often it calls`() async throws {
        let test = try TestLedger(keys: TestKey.all)
        let body = try #require(Sample.notifications().first?.body)
        try await test.calls { client in
            for _ in 0..<250 {
                let answer = try await client.post("/v1/app-store/notifications", body)
                #expect(answer.status == .ok)
            }
        }
    }
}
