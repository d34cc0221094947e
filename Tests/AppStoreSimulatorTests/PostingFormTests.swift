import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import Primitives
import Testing

@Suite struct `Postings of devices` {
    private struct Posted: Hashable {
        let customer: String
        let originalTransactionId: String
        let productId: String
    }

    /// Returns the purchases that devices post: in receipts and in transactions, with the dates of the postings.
    private static func play(
        _ form: PostingForm
    ) async throws -> (purchases: Set<Posted>, receipts: [Instant], transactions: [Instant]) {
        let served = try await ServedStore(isPosting: true, postingForm: form)
        var bodies: [(at: Instant, body: JSONValue)] = []
        await served.play(toDay: 546) { posting in
            if let body = try? await served.store.body(of: posting) { bodies.append((await served.store.now, body)) }
            return true
        }
        var purchases: Set<Posted> = []
        var (receipts, transactions): ([Instant], [Instant]) = ([], [])
        for (date, value) in bodies {
            let body = try JSONDocument(parsing: Array(value.serialized().utf8)).root
            let customer = try #require(body["customerId"]?.string)
            if let text = body["receipt"]?.string {
                receipts.append(date)
                for row in try ReceiptSigner.standard.open(try #require(Base64.decode(text))).inApp {
                    purchases.insert(
                        Posted(
                            customer: customer, originalTransactionId: try #require(row.text(.originalTransactionId)),
                            productId: try #require(row.text(.productId))))
                }
            } else if let jws = body["signedTransactions"]?.elements?.first?.string {
                transactions.append(date)
                let transaction = try payload(jws)
                purchases.insert(
                    Posted(
                        customer: customer,
                        originalTransactionId: try #require(transaction["originalTransactionId"]?.string),
                        productId: try #require(transaction["productId"]?.string)))
            }
        }
        return (purchases, receipts, transactions)
    }

    @Test func `state the same purchases as receipts and as transactions`() async throws {
        let transactions = try await Self.play(.transactions)
        let receipts = try await Self.play(.receipts)
        #expect(transactions.receipts.isEmpty && receipts.transactions.isEmpty)
        #expect(transactions.purchases.count > 60 && receipts.receipts.count == transactions.transactions.count)
        let missing = transactions.purchases.subtracting(receipts.purchases)
        #expect(missing.isEmpty, "\(missing)")
    }

    @Test func `move from receipts to transactions in the middle of the months`() async throws {
        let moving = try await Self.play(.moving)
        let middle = try #require(Instant(iso8601: "2025-10-01"))
        #expect(moving.receipts.count > 20 && moving.transactions.count > 20)
        let day = Instant.millisecondsPerDay
        #expect(moving.receipts.allSatisfy { $0 < middle.advanced(byMilliseconds: day) })
        #expect(moving.transactions.allSatisfy { $0 > middle.advanced(byMilliseconds: -day) })
    }
}
