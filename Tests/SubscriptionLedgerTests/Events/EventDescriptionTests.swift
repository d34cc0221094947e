import LedgerAPI
import Primitives
import SubscriptionLedger
import Testing

struct EventDescriptionTests {
    @Test func `nothing was verified for the ledger's own events`() async throws {
        let shop = try TestLedger()
        try await shop.post(Purchase("1"), customerId: "alice")
        let transaction = try #require(try shop.ledger.reader.event(at: 0, facts: true)?.json.view["verification"])
        #expect(transaction["at"]?.string == "2026-01-14T12:00:01.000Z")
        #expect(transaction["leaf"]?.string?.count == 64)
        #expect(transaction["root"]?.string?.count == 64)
        #expect(transaction["configuredRoot"]?.bool == true)

        let link = try #require(try shop.ledger.reader.event(at: 1, facts: true)?.json.view)
        #expect(link["kind"]?.string == "customerLinked")
        #expect(link["trust"]?.string == "own")
        #expect(
            link["verification"]?.text == #"{"at":null,"leaf":null,"root":null,"configuredRoot":false}"#)
        #expect(link["evidence"]?.text == #"{"artifact":"none","bytes":0,"sha256":null}"#)
    }
}
