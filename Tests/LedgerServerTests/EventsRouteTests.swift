import AppStoreSimulation
import EventLog
import HTTPTypes
import HummingbirdTesting
import Primitives
import SubscriptionLedger
import Testing

@Suite struct EventsRouteTests {
    @Test func `events come as log show tells them, without their facts`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        let size = try test.ledger.log.head().size
        let expected = try (0..<size).map { try test.ledger.event(at: $0, facts: false)?.serialized() }
        try await test.calls { client in
            let answer = try await client.get("/v1/events")
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/x-ndjson")
            #expect(answer.text == expected.compactMap(\.self).map { $0 + "\n" }.joined())
            #expect(answer.headers[HTTPField.Name.linkField] == nil)
        }
    }

    @Test(arguments: ["/v1/events", "/v1/evidence"])
    func `following the links reads everything once`(_ uri: String) async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        let size = try test.ledger.log.head().size
        try await test.calls { client in
            let whole = try await client.get(uri).bytes
            for limit in 1...Int(size) + 1 {
                var bytes: [UInt8] = []
                var next: String? = "\(uri)?limit=\(limit)"
                var pages = 0
                while let page = next {
                    let answer = try await client.get(page)
                    bytes += answer.bytes
                    pages += 1
                    next = answer.headers[HTTPField.Name.linkField].flatMap(Self.target)
                }
                #expect(bytes == whole)
                #expect(pages == (Int(size) + limit - 1) / limit)
            }
        }
    }

    private static func target(_ link: String) -> String? {
        guard link.hasPrefix("<"), link.hasSuffix(">; rel=\"next\"") else { return nil }
        return String(link.dropFirst().prefix { $0 != ">" })
    }

    @Test func `beyond the head is nothing`() async throws {
        let test = try TestLedger()
        try await test.calls { client in
            for uri in [
                "/v1/events", "/v1/events?after=7", "/v1/transitions", "/v1/evidence",
            ] {
                let answer = try await client.get(uri)
                #expect(answer.status == .ok)
                #expect(answer.bytes.isEmpty)
                #expect(answer.headers[HTTPField.Name.linkField] == nil)
            }
        }
    }

    @Test(
        arguments: ["after=-2", "after=x", "limit=0", "limit=1001", "limit=", "before=1", "after=9223372036854775807"],
        ["/v1/events", "/v1/transitions", "/v1/evidence"])
    func `a parameter that cannot be meant is 400`(_ query: String, _ uri: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await client.get("\(uri)?\(query)").expectProblem("parameter_invalid", .badRequest)
        }
    }
}

extension HTTPField.Name {
    static let linkField = HTTPField.Name("Link") ?? .location
    static let lastEventIdField = HTTPField.Name("Last-Event-ID") ?? .location
}
