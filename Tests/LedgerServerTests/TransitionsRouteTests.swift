import AppStoreModel
import AppStoreSimulation
import HTTPTypes
import HummingbirdTesting
import Primitives
import Testing

@Suite struct TransitionsRouteTests {
    /// Appends each notification at its signing time.
    private static func appendPunctually(_ artifacts: [SignedStoreArtifact], to test: TestLedger) async throws {
        for artifact in artifacts {
            test.clock.now = artifact.unsigned.signedDate
            try await test.append([artifact])
        }
    }

    private static func cancelledAndRefunded() -> [SignedStoreArtifact] {
        var store = Sample.store()
        let customer = store.addCustomer()
        let subscription = store.buy("pro.monthly", by: customer, at: Sample.start)
        func day(_ day: Int64) -> Instant { Sample.start.advanced(byMilliseconds: day * Instant.millisecondsPerDay) }
        store.cancel(subscription, at: day(3))
        store.refund(subscription, .full, reason: .appIssue, at: day(5))
        return Sample.signed(store)
    }

    @Test func `a change is a row as soon as its posting is answered`() async throws {
        let test = try TestLedger(at: Sample.start)
        try await test.calls { client in
            var uri = "/v1/transitions"
            var rows: [String] = []
            for artifact in Self.cancelledAndRefunded() {
                test.clock.now = artifact.unsigned.signedDate
                let body = try #require(artifact.body)
                #expect(try await client.post("/v1/app-store/notifications", body).status == .ok)
                let page = try await client.get(uri)
                #expect(page.status == .ok)
                #expect(page.headers[.contentType] == "application/x-ndjson")
                for row in try page.lines() {
                    let words = (row["change"]?.elements ?? []).compactMap(\.string).joined(separator: ",")
                    rows.append(
                        "\(row["sequence"]?.integer ?? -1) \(row["before"]?["status"]?.string ?? "-")>"
                            + "\(row["after"]?["status"]?.string ?? "-") \(words) \(row["cause"]?.string ?? "") "
                            + "\(row["position"]?.integer ?? -1) \(row["mode"]?.string ?? "")")
                }
                uri = "/v1/transitions?after=\(try #require(page.headers[HTTPField.Name.cursorField]))"
            }
            #expect(
                rows == [
                    "0 ->active started SUBSCRIBED/INITIAL_BUY 0 live",
                    "1 active>active autoRenewOff DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1 live",
                    "2 active>revoked refunded REFUND 2 live",
                ])
        }
    }

    @Test func `a row's states are those of GET at its instant`() async throws {
        let test = try TestLedger(at: Sample.start)
        try await Self.appendPunctually(Self.cancelledAndRefunded(), to: test)
        try await test.calls { client in
            let rows = try await client.get("/v1/transitions").lines()
            #expect(rows.count == 3)
            for row in rows {
                let at = try #require(row["effectiveAt"]?.string)
                let position = try #require(row["position"]?.integer)
                let uri = "/v1/subscriptions/\(Sample.originalTransactionId)?asOf=\(at)&knownAt=\(position + 1)"
                let answer = try await client.get(uri).json()["subscriptions"]?.elements?.first
                let expected = try #require(answer)
                let after = try #require(row["after"])
                let (text, state) = (expected.document.bytes[expected.byteRange], after.document.bytes[after.byteRange])
                #expect(Array(text) == Array(state))
            }
        }
    }

    @Test func `following the links reads every row once`() async throws {
        let test = try TestLedger(at: Sample.start)
        try await Self.appendPunctually(Self.cancelledAndRefunded(), to: test)
        try await test.calls { client in
            let whole = try await client.get("/v1/transitions").bytes
            for limit in 1...4 {
                var bytes: [UInt8] = []
                var next: String? = "/v1/transitions?limit=\(limit)"
                while let uri = next {
                    let page = try await client.get(uri)
                    bytes += page.bytes
                    next = page.headers[HTTPField.Name.linkField].map { String($0.dropFirst().prefix { $0 != ">" }) }
                }
                #expect(bytes == whole)
            }
        }
    }

    @Test func `another environment has other rows, and a page without any has a cursor`() async throws {
        let test = try TestLedger(at: Sample.start)
        try await Self.appendPunctually(Self.cancelledAndRefunded(), to: test)
        try await test.calls { client in
            let page = try await client.get("/v1/transitions?environment=Sandbox")
            #expect(page.bytes.isEmpty && page.headers[HTTPField.Name.linkField] == nil)
            let cursor = try #require(page.headers[HTTPField.Name.cursorField])
            #expect(try await client.get("/v1/transitions?after=\(cursor)").bytes.isEmpty)
        }
    }

    @Test func `a cursor that cannot be followed is 409`() async throws {
        let (test, other) = (try TestLedger(at: Sample.start), try TestLedger(at: Sample.start))
        try await Self.appendPunctually(Self.cancelledAndRefunded(), to: test)
        try await Self.appendPunctually(Array(Self.cancelledAndRefunded().prefix(1)), to: other)
        let cursor = try await test.calls { client in
            try await client.get("/v1/transitions").headers[HTTPField.Name.cursorField]
        }
        let parts = try #require(cursor).split(separator: ".")
        let ahead = "\(parts[0]).4.\(parts[2])"
        let forged = "\(parts[0]).2.\(parts[2])"
        try await other.calls { client in
            try await client.get("/v1/transitions?after=\(cursor ?? "")")
                .expectProblem("cursor_of_another_log", .conflict)
        }
        try await test.calls { client in
            for headers in [HTTPFields(), [.accept: "text/event-stream"]] {
                try await client.get("/v1/transitions?after=\(ahead)", headers)
                    .expectProblem("cursor_ahead", .conflict)
                try await client.get("/v1/transitions?after=\(forged)", headers)
                    .expectProblem("cursor_of_another_log", .conflict)
            }
            try await client.get("/v1/transitions", [.accept: "text/event-stream", .lastEventIdField: ahead])
                .expectProblem("cursor_ahead", .conflict)
        }
    }

    @Test(arguments: ["after=0", "after=", "environment=production", "limit=0", "type=REFUND"])
    func `a parameter that cannot be meant is 400`(_ query: String) async throws {
        let test = try TestLedger()
        try await test.calls { client in
            try await client.get("/v1/transitions?\(query)").expectProblem("parameter_invalid", .badRequest)
        }
    }
}

extension HTTPField.Name {
    static let cursorField = HTTPField.Name("Subledger-Cursor") ?? .location
}
