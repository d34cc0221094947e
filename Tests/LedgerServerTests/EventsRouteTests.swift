import AppStoreSimulation
import EventLog
import HTTPTypes
import HummingbirdTesting
import LedgerAPI
import Primitives
import SubscriptionLedger
import Testing

@Suite struct EventsRouteTests {
    @Test func `events come as log show tells them, without their facts`() async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        let size = try test.ledger.reader.log.size()
        let expected = try (0..<size).map { try test.ledger.reader.event(at: $0, facts: false)?.json.serialized() }
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
        let size = try test.ledger.reader.log.size()
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

    /// Reads all pages from `uri` on, and returns the positions and the number of pages.
    private static func walk(
        _ client: any TestClientProtocol, _ uri: String
    ) async throws -> (positions: [Int64?], pages: Int) {
        var positions: [Int64?] = []
        var pages = 0
        var next: String? = uri
        while let page = next {
            let answer = try await client.get(page)
            #expect(answer.status == .ok)
            positions += try answer.lines().map { $0["position"]?.integer }
            pages += 1
            next = answer.headers[HTTPField.Name.linkField].flatMap(target)
        }
        return (positions, pages)
    }

    /// The expected positions by type: the purchase is event 0, its renewals are events 1 to 5.
    @Test(
        arguments: [
            ("SUBSCRIBED", [0]), ("DID_RENEW", [1, 2, 3, 4, 5]), ("DID_RENEW,SUBSCRIBED", [0, 1, 2, 3, 4, 5]),
            ("SUBSCRIBED%2CTEST", [0]), ("OF_TOMORROW", []), ("DID_RENEW,DID_RENEW", [1, 2, 3, 4, 5]),
        ] as [(String, [Int64])])
    func `a type leaves out events of others, on pages of any size`(_ type: String, _ positions: [Int64]) async throws {
        let test = try TestLedger()
        try await test.append(Sample.notifications())
        try await test.calls { client in
            for limit in [1, 2, 3, 100] {
                let walk = try await Self.walk(client, "/v1/events?type=\(type)&limit=\(limit)")
                #expect(walk.positions == positions, "limit \(limit)")
                #expect(walk.pages <= positions.count / limit + 1, "limit \(limit)")
            }
            #expect(
                try await Self.walk(client, "/v1/events?type=\(type)&after=3").positions == positions.filter { $0 > 3 })
        }
    }

    @Test func `a page on which nothing matches leads to the next`() async throws {
        let test = try TestLedger(apps: [])
        let notifications = BulkNotifications(count: 1_001)
        try await test.appendAtOnce(notifications.map(\.self))
        try await test.calls { client in
            let first = try await client.get("/v1/events?type=OF_TOMORROW&limit=7")
            #expect(first.bytes.isEmpty)
            let link = try #require(first.headers[HTTPField.Name.linkField])
            #expect(link == #"</v1/events?after=999&limit=7&type=OF_TOMORROW>; rel="next""#)
            let last = try await client.get(try #require(Self.target(link)))
            #expect(last.bytes.isEmpty && last.headers[HTTPField.Name.linkField] == nil)
            let purchases = try await Self.walk(client, "/v1/events?type=SUBSCRIBED&limit=1000")
            #expect(purchases.positions == (0...100).map { 10 * $0 })
        }
    }

    @Test func `a page is resumed by its cursor, whatever it holds`() async throws {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.append(Array(notifications[..<5]))
        let rest = try await test.calls { client in
            for (query, cursor) in [
                ("", "4"), ("?limit=2", "1"), ("?after=3", "4"), ("?after=4", "4"), ("?type=OF_TOMORROW", "4"),
                ("?type=DID_RENEW&limit=2", "2"), ("?type=SUBSCRIBED&after=2&limit=1", "4"),
            ] {
                let page = try await client.get("/v1/events\(query)")
                #expect(page.headers[HTTPField.Name.cursorField] == cursor, "\(query)")
            }
            let seen = try await client.get("/v1/events?type=OF_TOMORROW").headers[HTTPField.Name.cursorField]
            return try #require(seen)
        }
        try await test.append([notifications[5]])
        try await test.calls { client in
            let page = try await client.get("/v1/events?after=\(rest)")
            #expect(try page.lines().map { $0["position"]?.integer } == [5])
        }
        let empty = try TestLedger()
        try await empty.calls { client in
            let page = try await client.get("/v1/events")
            #expect(page.headers[HTTPField.Name.cursorField] == "-1")
        }
    }

    @Test(arguments: [
        "", ",", "REFUND,", "refund", "REFUND%20", "REFUND%0A", "%C3%89", "REFUND-1", String(repeating: "A", count: 65),
        Array(repeating: "A", count: 65).joined(separator: ","), "REFUND&type=TEST", "REFUND;TEST",
    ])
    func `a type that is no word of Apple's is 400`(_ type: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await client.get("/v1/events?type=\(type)").expectProblem("parameter_invalid", .badRequest)
        }
    }

    /// A ledger with a purchase, a customer who is linked to it, and its renewals.
    private static func linkedLedger() async throws -> TestLedger {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.append(Array(notifications[..<1]))
        _ = try await test.ledger.apply(
            .grant(GrantRequest(entitlement: "pro", until: nil, because: "a test")), to: "alice", by: .admin,
            scope: CustomerScope(), source: .operator)
        try await test.append(Array(notifications[1...]))
        return test
    }

    @Test func `a kind leaves out events of others, also together with a type`() async throws {
        let test = try await Self.linkedLedger()
        let kinds = try (0..<test.ledger.reader.log.size()).map { position in
            try test.ledger.reader.event(at: position, facts: false)?.kind
        }
        let granted = kinds.indices.filter { kinds[$0] == "entitlementGranted" }.map { Int64($0) }
        let received = kinds.indices.filter { kinds[$0] == "notificationReceived" }.map { Int64($0) }
        #expect(granted == [1] && received == [0, 2, 3, 4, 5, 6])
        try await test.calls { client in
            for (query, positions) in [
                ("kind=entitlementGranted", granted), ("kind=notificationReceived", received),
                ("kind=notificationReceived,entitlementGranted", (granted + received).sorted()),
                ("kind=entitlementGranted&type=SUBSCRIBED", []), ("kind=notificationReceived&type=SUBSCRIBED", [0]),
                ("kind=actRequested%2CactAnswered", []),
            ] {
                for limit in [1, 2, 100] {
                    let walk = try await Self.walk(client, "/v1/events?\(query)&limit=\(limit)")
                    #expect(walk.positions == positions, "\(query) limit \(limit)")
                }
            }
        }
    }

    @Test(arguments: ["", "acts", "ActRequested", "actRequested,", "actRequested&kind=actAnswered", "99"])
    func `a kind that the ledger does not know is 400`(_ kind: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            let answer = try await client.get("/v1/events?kind=\(kind)")
            try answer.expectProblem("parameter_invalid", .badRequest)
        }
    }

    @Test func `transitions have no type`() async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await client.get("/v1/transitions?type=REFUND").expectProblem("parameter_invalid", .badRequest)
        }
    }

    @Test(arguments: ["/v1/events", "/v1/evidence"])
    func `a position beyond the end is of another log`(_ uri: String) async throws {
        let test = try TestLedger()
        let notifications = Sample.notifications()
        try await test.append(Array(notifications[..<3]))
        try await test.calls { client in
            let end = try await client.get("\(uri)?after=2")
            #expect(end.status == .ok && end.bytes.isEmpty)
            for after in ["3", "99999", "9223372036854775806"] {
                let ahead = try await client.get("\(uri)?after=\(after)")
                try ahead.expectProblem("cursor_ahead", .conflict)
                #expect(try ahead.json()["expected"]?.string == "at most 2")
                #expect(try ahead.json()["found"]?.string == after)
            }
            try await client.get("\(uri)?after=3&limit=1").expectProblem("cursor_ahead", .conflict)
            guard uri == "/v1/events" else { return }
            let stream: HTTPFields = [.accept: "text/event-stream"]
            try await client.get("\(uri)?after=3", stream).expectProblem("cursor_ahead", .conflict)
            try await client.get("\(uri)?type=TEST&after=0", stream + [.lastEventIdField: "3"])
                .expectProblem("cursor_ahead", .conflict)
        }
        try await test.append([notifications[3]])
        try await test.calls { client in
            let end = try await client.get("\(uri)?after=3")
            #expect(end.status == .ok)
        }
    }

    @Test func `at the end is nothing`() async throws {
        let test = try TestLedger()
        try await test.calls { client in
            for uri in ["/v1/events", "/v1/events?after=-1", "/v1/transitions", "/v1/evidence"] {
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
