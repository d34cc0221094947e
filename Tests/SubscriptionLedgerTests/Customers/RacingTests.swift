import EventLog
import LedgerAPI
import Primitives
import SubscriptionLedger
import Testing

struct RacingTests {
    @Test func `of racing postings of one key one wins, and each is told`() async throws {
        let shop = try TestLedger()
        let ledger = shop.ledger
        for round in 1...10 {
            let customers = (0..<8).map { "customer \($0)" }
            let winners = try await withThrowingTaskGroup(of: (String, [String], [String]).self) { group in
                for customer in customers {
                    let posting = TransactionPosting(
                        signedTransactions: [Purchase("\(round)").text], customerId: customer)
                    group.addTask {
                        let outcome = try await ledger.post(posting, by: .backend)
                        return (customer, outcome.refusedCodes, try outcome.answer.purchases)
                    }
                }
                var winners: [String] = []
                for try await (customer, refused, purchases) in group {
                    #expect(purchases.contains("\(round)") == refused.isEmpty)
                    if refused.isEmpty { winners.append(customer) } else { #expect(refused == ["link_refused"]) }
                }
                return winners
            }
            #expect(winners.count == 1)
            let owners = try customers.filter { try shop.purchases(of: $0).contains("\(round)") }
            #expect(owners == winners)
        }
        #expect(try shop.events(.customerLinked).count == 10)
        #expect(try shop.events(.linkRefused).count == 70)
    }

    @Test func `a token that two backends post at once becomes one customer's`() async throws {
        let shop = try TestLedger()
        let ledger = shop.ledger
        let customers = (0..<8).map { "customer \($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, customer) in customers.enumerated() {
                let posting = TransactionPosting(
                    signedTransactions: [Purchase("\(index)", token: token("c")).text], customerId: customer)
                group.addTask { _ = try await ledger.post(posting, by: .backend) }
            }
            try await group.waitForAll()
        }
        let counts = try customers.map { try shop.purchases(of: $0).count }
        #expect(counts.sorted() == [0, 0, 0, 0, 0, 0, 0, 8])
        // The log and the vault name the same customer, whichever of the eight came first.
        let owner = try #require(zip(customers, counts).first { $0.1 == 8 }?.0)
        #expect(try shop.events(.tokenMapped).count == 1)
        let rows = try shop.transitions()
        for key in 0..<8 {
            let last = try rows.last { try $0.after.view["originalTransactionId"]?.string == "\(key)" }
            #expect(last?.customers == [token("c"), owner].sorted())
        }
    }

    @Test func `somebody met many times at once is one customer`() async throws {
        let shop = try TestLedger()
        let ledger = shop.ledger
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                let posting = TransactionPosting(
                    signedTransactions: [Purchase("\(number)").text], customerId: "alice")
                group.addTask { _ = try await ledger.post(posting, by: .backend) }
            }
            try await group.waitForAll()
        }
        #expect(try shop.purchases(of: "alice").count == 16)
        let handles = try shop.events(.customerLinked).map {
            try JSONDocument(parsing: $0.body).root["handle"]?.string
        }
        #expect(Set(handles).count == 1)
    }

    @Test func `two backends that identify one anonymous customer at once do so once`() async throws {
        let shop = try TestLedger()
        let ledger = shop.ledger
        let handle = try await shop.anonymousHandle(Purchase("1"))
        let conflicts = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    (try? await ledger.identify("customer \(number)", handle: handle, by: .backend)) == nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(conflicts == 7)
        #expect(try shop.events(.customersMerged).count == 1)
    }

    @Test func `postings of many keys, in whatever order, never wait for each other for ever`() async throws {
        let shop = try TestLedger()
        let ledger = shop.ledger
        var random = SystemRandomNumberGenerator()
        let postings = (0..<16).map { number in
            TransactionPosting(
                signedTransactions: (0..<20).map { Purchase("\($0)").text }.shuffled(using: &random),
                customerId: "customer \(number)")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for posting in postings { group.addTask { _ = try await ledger.post(posting, by: .backend) } }
            try await group.waitForAll()
        }
        #expect(try shop.events(.customerLinked).count == 20)
    }
}
