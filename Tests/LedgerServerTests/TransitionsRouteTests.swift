import AppStoreModel
import AppStoreSimulation
import HTTPTypes
import HummingbirdTesting
import Primitives
import Testing

@Suite struct TransitionsRouteTests {
    /// The changes as `position from>to cause`.
    private static func changes(_ client: any TestClientProtocol, _ query: String = "") async throws -> [String] {
        try await client.get("/v1/transitions" + query).lines().map { row in
            let from = row["from"]?.string ?? "-"
            return "\(row["position"]?.integer ?? -1) \(from)>\(row["to"]?.string ?? "") \(row["cause"]?.string ?? "")"
        }
    }

    /// Each notification appended when it was signed.
    private static func appendPunctually(_ artifacts: [SignedStoreArtifact], to test: TestLedger) async throws {
        for artifact in artifacts {
            test.clock.now = artifact.unsigned.signedDate
            try await test.append([artifact])
        }
    }

    @Test func `what comes in time changes the state once`() async throws {
        let test = try TestLedger(at: Sample.start)
        try await Self.appendPunctually(Sample.notifications(), to: test)
        try await test.calls { client in
            let changes = try await Self.changes(client)
            #expect(changes == ["0 ->active SUBSCRIBED/INITIAL_BUY"])
        }
    }

    @Test func `a renewal that comes late takes the expiry back`() async throws {
        let test = try TestLedger(at: Sample.start)
        let notifications = Sample.notifications()
        try await Self.appendPunctually([notifications[0]], to: test)
        // Three days after the renewal was due: by then the state was expired.
        test.clock.now = notifications[1].unsigned.signedDate.advanced(byMilliseconds: 3 * 86_400_000)
        try await test.append([notifications[1]])
        try await test.calls { client in
            #expect(
                try await Self.changes(client) == [
                    "0 ->active SUBSCRIBED/INITIAL_BUY", "1 expired>active DID_RENEW",
                ])
            #expect(try await Self.changes(client, "?after=0") == ["1 expired>active DID_RENEW"])
            let row = try #require(try await client.get("/v1/transitions?after=0").lines().first)
            #expect(row["at"]?.string == test.clock.now.iso8601)
            #expect(row["recordedAt"]?.string == test.clock.now.iso8601)
            #expect(row["entitled"]?.bool == true)
            #expect(row["expiresAt"]?.string == "2025-03-01T00:00:00.000Z")
            #expect(row["originalTransactionId"]?.string == Sample.originalTransactionId)
            #expect(row["evidence"]?.elements?.isEmpty == false)
        }
    }

    @Test func `cancelling changes willRenew, and a refund ends access`() async throws {
        let test = try TestLedger(at: Sample.start)
        var store = Sample.store()
        let customer = store.addCustomer()
        let subscription = store.buy("pro.monthly", by: customer, at: Sample.start)
        func day(_ day: Int64) -> Instant { Sample.start.advanced(byMilliseconds: day * 86_400_000) }
        store.cancel(subscription, at: day(3))
        store.refund(subscription, .full, reason: .appIssue, at: day(5))
        try await Self.appendPunctually(Sample.signed(store), to: test)
        try await test.calls { client in
            let changes = try await Self.changes(client)
            #expect(
                changes == [
                    "0 ->active SUBSCRIBED/INITIAL_BUY",
                    "1 active>active DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "2 active>revoked REFUND",
                ])
        }
    }

    @Test func `limit counts the events that are looked at`() async throws {
        let test = try TestLedger(at: Sample.start)
        try await Self.appendPunctually(Sample.notifications(), to: test)
        try await test.calls { client in
            let page = try await client.get("/v1/transitions?after=0&limit=2")
            #expect(page.bytes.isEmpty)
            #expect(page.headers[HTTPField.Name.linkField] == "</v1/transitions?after=2&limit=2>; rel=\"next\"")
        }
    }
}
