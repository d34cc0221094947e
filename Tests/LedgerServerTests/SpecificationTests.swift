import FoundationEssentials
import HTTPTypes
import HummingbirdTesting
import LedgerAPI
import LedgerServer
import SubscriptionLedger
import Testing
import Yams

@Suite struct SpecificationTests {
    private static func specification(_ test: TestLedger) async throws -> Node {
        try await test.calls { client in
            let answer = try await client.get("/openapi.yaml")
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/yaml")
            return try #require(try compose(yaml: answer.text))
        }
    }

    @Test func `it has every route and no other`() async throws {
        let test = try TestLedger()
        let specification = try await Self.specification(test)
        let described = try #require(specification["paths"]?.mapping).flatMap { path, operations in
            (operations.mapping ?? [:]).keys.map { "\($0.string?.uppercased() ?? "") \(path.string ?? "")" }
        }
        #expect(Set(described) == Set(test.server.routes.map { "\($0.method.rawValue) \($0.template)" }))
        #expect(described.count == test.server.routes.count)
    }

    @Test func `a route that needs no key says so`() async throws {
        let test = try TestLedger(publicTiles: true, metricsKey: false)
        let specification = try await Self.specification(test)
        for route in test.server.routes {
            let operation = specification["paths"]?[route.template]?[route.method.rawValue.lowercased()]
            let security = operation?["security"]?.sequence
            let needsNone = security.map { $0.isEmpty || $0.contains { $0.mapping?.isEmpty == true } } ?? false
            #expect(needsNone == (route.access == .anybody), "\(route.template)")
        }
    }

    @Test func `it has every kind of event`() async throws {
        let specification = try await Self.specification(try TestLedger())
        let kinds = specification["components"]?["schemas"]?["EventKind"]?["enum"]?.sequence
        #expect(kinds?.compactMap(\.string) == EventRow.kinds)
    }

    @Test func `it has every code of stopped calls`() async throws {
        let specification = try await Self.specification(try TestLedger())
        let stops = specification["components"]?["schemas"]?["Readiness"]?["properties"]?["stoppedCalls"]
        let codes = stops?["items"]?["properties"]?["code"]?["enum"]?.sequence
        #expect(codes?.compactMap(\.string) == StoppedCalls.codes)
        #expect(stops?["description"]?.string?.contains("verifyReceipt") == true)
    }

    @Test func `every reference leads somewhere`() async throws {
        let test = try TestLedger()
        let specification = try await Self.specification(test)
        var references: [String] = []
        Self.collect(specification, &references)
        #expect(references.count > 100)
        for reference in Set(references) {
            let target = reference.split(separator: "/").dropFirst().reduce(specification) { $0?[String($1)] }
            #expect(reference.hasPrefix("#/") && target != nil, "\(reference)")
        }
    }

    private static func collect(_ node: Node, _ references: inout [String]) {
        for (key, value) in node.mapping ?? [:] {
            if key.string == "$ref", let reference = value.string { references.append(reference) }
            collect(value, &references)
        }
        for element in node.sequence ?? [] { collect(element, &references) }
    }
}
