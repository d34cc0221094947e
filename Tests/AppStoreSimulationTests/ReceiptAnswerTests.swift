import AppStoreModel
import AppStoreSimulation
import Primitives
import Testing

@Suite("Answers of verifyReceipt")
struct ReceiptAnswerTests {
    private static let seed = testSeed()

    /// The first two are dates of answers of Apple; the others are the changes to and from summer time.
    @Test(
        arguments: [
            (1_466_128_466_000, "2016-06-17 01:54:26 Etc/GMT", "2016-06-16 18:54:26 America/Los_Angeles"),
            (1_519_658_173_000, "2018-02-26 15:16:13 Etc/GMT", "2018-02-26 07:16:13 America/Los_Angeles"),
            (1_741_514_399_999, "2025-03-09 09:59:59 Etc/GMT", "2025-03-09 01:59:59 America/Los_Angeles"),
            (1_741_514_400_000, "2025-03-09 10:00:00 Etc/GMT", "2025-03-09 03:00:00 America/Los_Angeles"),
            (1_762_073_999_000, "2025-11-02 08:59:59 Etc/GMT", "2025-11-02 01:59:59 America/Los_Angeles"),
            (1_762_074_000_000, "2025-11-02 09:00:00 Etc/GMT", "2025-11-02 01:00:00 America/Los_Angeles"),
            (1_930_000_000_000, "2031-02-27 23:06:40 Etc/GMT", "2031-02-27 15:06:40 America/Los_Angeles"),
        ] as [(Int64, String, String)])
    func `have dates in Apple's three forms`(_ milliseconds: Int64, _ greenwich: String, _ pacific: String) throws {
        let issued = try IssuedReceipts(seed: Self.seed, customers: 1)
        let receipt = try issued.answer(0, at: Instant(milliseconds: milliseconds))["receipt"]
        #expect(receipt?["request_date"]?.string == greenwich)
        #expect(receipt?["request_date_ms"]?.string == "\(milliseconds)")
        #expect(receipt?["request_date_pst"]?.string == pacific)
    }

    @Test func `state the truth of every subscription, and can be read`() throws {
        let issued = try IssuedReceipts(seed: Self.seed)
        var count = 0
        for row in issued.store.truth(at: issued.store.now) where row.state.expiresAt != nil {
            let document = try issued.answer(row.customer)
            let answer = try #require(VerifyReceiptAnswer(document))
            #expect(answer.unreadable == 0 && answer.contradictions == 0 && answer.environment == .production)
            let rows = answer.latest.map(\.purchase).filter { $0.originalTransactionId == row.originalTransactionId }
            let element = answer.renewals.map(\.renewal).first {
                $0.originalTransactionId == row.originalTransactionId
            }
            #expect(rows.contains { $0.productId == row.state.productId && $0.expiresDate == row.state.expiresAt })
            #expect(rows.allSatisfy { $0.inAppOwnershipType == row.ownership.rawValue })
            if let renews = row.state.willRenew, row.state.status == .active, let element {
                #expect((element.autoRenewStatus == .on) == renews, "seed \(Self.seed)")
            }
            count += 1
        }
        #expect(count > 200)
    }

    @Test func `echo the receipt that was sent, with cancellations since`() throws {
        let issued = try IssuedReceipts(seed: Self.seed)
        var (stale, cancelled) = (0, 0)
        for number in issued.numbers {
            let early = try #require(issued.early[number])
            let answer = try issued.answer(number, to: early)
            #expect(
                answer.inAppRows.map { $0["transaction_id"]?.string } == early.inApp.map { $0.text(.transactionId) })
            let created = try #require(early.receiptCreationDate)
            #expect(answer["receipt"]?["receipt_creation_date_ms"]?.string == "\(created.milliseconds)")
            if !early.inApp.isEmpty, answer.latestRows.count > early.inApp.count { stale += 1 }
            cancelled += zip(answer.inAppRows, early.inApp).count {
                $0["cancellation_date_ms"] != nil && $1.text(.cancellationDate) == ""
            }
        }
        #expect(stale > 20 && cancelled > 5, "seed \(Self.seed)")
    }

    @Test func `state no more than the receipt without the shared secret`() throws {
        let issued = try IssuedReceipts(seed: Self.seed, customers: 20)
        for number in issued.numbers {
            let answer = try issued.answer(number, statesLatest: false)
            #expect(answer.members.map(\.key) == ["status", "environment", "receipt"])
        }
    }

    @Test func `have only the newest row of each subscription without old transactions`() throws {
        let issued = try IssuedReceipts(seed: Self.seed)
        var shorter = 0
        for number in issued.numbers {
            let all = try issued.answer(number).latestRows
            let newest = try issued.answer(number, excludesOld: true).latestRows
            let subscriptions = newest.filter { $0["expires_date_ms"] != nil }
            #expect(
                Set(subscriptions.map { $0["original_transaction_id"]?.string }).count == subscriptions.count)
            for row in subscriptions {
                let dates = all.filter {
                    $0["original_transaction_id"]?.string == row["original_transaction_id"]?.string
                        && $0["is_upgraded"] == nil
                }.compactMap { $0["purchase_date_ms"]?.string.flatMap { Int64($0) } }
                #expect(row["purchase_date_ms"]?.string == dates.max().map { "\($0)" }, "seed \(Self.seed)")
            }
            if newest.count < all.count { shorter += 1 }
        }
        #expect(shorter > 100)
    }
}

@Suite("Awkward answers of verifyReceipt")
struct AwkwardReceiptAnswerTests {
    private static let seed = testSeed()

    @Test func `lack the renewals of what has lapsed for good, never of what is active`() throws {
        let issued = try IssuedReceipts(seed: Self.seed)
        var (lapsed, removed) = (0, 0)
        for row in issued.store.truth(at: issued.store.now) where row.state.expiresAt != nil {
            let element = try issued.answer(row.customer).pendingRenewals.first {
                $0["original_transaction_id"]?.string == row.originalTransactionId
            }
            guard row.state.status == .expired else {
                #expect(element != nil, "\(row.originalTransactionId), seed \(Self.seed)")
                continue
            }
            lapsed += 1
            if element == nil { removed += 1 }
        }
        #expect(removed > 5 && removed < lapsed, "\(removed) of \(lapsed), seed \(Self.seed)")
    }

    @Test func `cancel what an upgrade replaced in some accounts, and mark it in latest_receipt_info only`() throws {
        let issued = try IssuedReceipts(seed: Self.seed)
        var marked: [Bool: Int] = [:]
        for number in issued.numbers {
            let answer = try issued.answer(number)
            #expect(answer.inAppRows.allSatisfy { $0["is_upgraded"] == nil })
            for row in answer.latestRows where row["is_upgraded"]?.string == "true" {
                let cancelled = row["cancellation_date_ms"]?.string
                marked[cancelled != nil, default: 0] += 1
                guard let cancelled else { continue }
                let replacing = answer.latestRows.filter { $0["purchase_date_ms"]?.string == cancelled }
                #expect(replacing.contains { $0["product_id"]?.string != row["product_id"]?.string })
                let echoed = answer.inAppRows.first { $0["transaction_id"]?.string == row["transaction_id"]?.string }
                #expect(echoed == nil || echoed?["cancellation_date"]?.string == row["cancellation_date"]?.string)
            }
        }
        #expect(marked[true, default: 0] > 5 && marked[false, default: 0] > 5, "seed \(Self.seed)")
    }

    @Test func `have an empty latest_receipt or an empty in_app in some accounts`() throws {
        let issued = try IssuedReceipts(seed: Self.seed)
        var (withoutReceipt, withoutRows) = (0, 0)
        for number in issued.numbers {
            let answer = try issued.answer(number)
            guard !answer.latestRows.isEmpty else { continue }
            if answer["latest_receipt"]?.string == "" { withoutReceipt += 1 }
            if answer.inAppRows.isEmpty { withoutRows += 1 }
        }
        #expect((5...80).contains(withoutReceipt) && (3...60).contains(withoutRows), "seed \(Self.seed)")
    }

    @Test func `give a restored purchase a new date, and keep its original one`() throws {
        var redated = 0
        for offset in 0..<3 as Range<UInt64> {
            let issued = try IssuedReceipts(seed: Self.seed &+ offset)
            for number in issued.numbers {
                let account = try #require(issued.store.account(ofCustomer: number))
                let transactions = issued.store.record(of: account).transactions
                for row in try issued.answer(number).inAppRows where row["product_id"]?.string == "unlock" {
                    let original = row["original_transaction_id"]?.string
                    guard !transactions.contains(where: { $0.transactionId == row["transaction_id"]?.string }) else {
                        continue
                    }
                    redated += 1
                    let bought = try #require(transactions.first { $0.originalTransactionId == original })
                    let date = try #require(row["purchase_date_ms"]?.string.flatMap { Int64($0) })
                    #expect(date > bought.purchaseDate.milliseconds)
                    let payload = try JSONDocument(parsing: bought.payload).root
                    #expect(
                        row["original_purchase_date_ms"]?.string
                            == payload["originalPurchaseDate"]?.integer.map { "\($0 / 1_000 * 1_000)" })
                }
            }
        }
        #expect(redated > 0, "seed \(Self.seed)")
    }

    @Test func `state the newest hundred rows, and nothing about others`() throws {
        var store = LiveStore(Simulation(seed: Self.seed, customers: 1, months: 36))
        let account = try #require(store.account(ofCustomer: 0))
        _ = try store.purchase("pro.basic.weekly", by: account)
        _ = store.advance(to: store.now.advanced(byMilliseconds: 120 * 7 * Instant.millisecondsPerDay))
        let purchases = store.purchases(of: account) { _, _ in true }
        var answer = ReceiptAnswer(purchases.receipt(createdAt: store.now), of: purchases, requestDate: store.now)
        answer.statesLatest = true
        let text = try answer.json(signedBy: ReceiptSigner.standard).serialized()
        let document = try JSONDocument(parsing: Array(text.utf8)).root
        let dates = document.latestRows.compactMap { $0["purchase_date_ms"]?.string.flatMap { Int64($0) } }
        #expect(dates.count == 100 && dates == dates.sorted(by: >))
        #expect(document.inAppRows.count >= 120)
        #expect(dates.first == store.record(of: account).transactions.map(\.purchaseDate.milliseconds).max())
    }
}
