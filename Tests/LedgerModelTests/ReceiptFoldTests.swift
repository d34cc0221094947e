import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import Testing

/// Purchases that receipts state, alone and beside signed transactions.
struct `Receipts in a timeline` {
    /// A row of a receipt created at `created`, with the fields that a receipt states.
    private func row(
        _ id: String, _ start: Int, _ end: Int?, created: Int, _ change: (inout TransactionFact) -> Void = { _ in }
    ) -> Observation {
        transaction(id, start, end, signed: created, rank: .receiptFile) {
            ($0.inAppOwnershipType, $0.isOfFullHistory) = (nil, true)
            change(&$0)
        }
    }

    @Test func `a restored non-consumable began when it was bought, whatever date the restore gives it`() {
        let restored = row("1", 90, nil, created: 91) {
            ($0.type, $0.webOrderLineItemId, $0.originalPurchaseDate) = (.nonConsumable, nil, minute(10))
        }
        #expect(fold([restored]).periods.map(\.text) == ["monthly 10..<∞ #1"])
        // The original date of a renewal is that of another transaction.
        let renewal = row("2", 30, 60, created: 31) { $0.originalPurchaseDate = minute(0) }
        #expect(fold([renewal]).periods.map(\.text) == ["monthly 30..<60 #2"])
    }

    @Test func `a refund in an answer, which states no type, is one of the non-consumable and of its restored copies`()
    {
        func bought(_ id: String) -> Observation {
            row(id, 10, nil, created: 20) {
                ($0.type, $0.webOrderLineItemId, $0.originalPurchaseDate) = (.nonConsumable, nil, minute(10))
            }
        }
        func refunded(_ id: String) -> Observation {
            transaction(id, 10, nil, signed: 50, rank: .verifyReceiptLatest) {
                ($0.type, $0.webOrderLineItemId) = (nil, nil)
                $0.revocation = .init(revocationDate: minute(40))
            }
        }
        for (known, refund) in [(["1", "2"], "1"), (["1"], "2"), (["1"], "1")] {
            let periods = fold(known.map(bought) + [refunded(refund)]).periods
            #expect(periods.count == 1 && periods[0].type == .nonConsumable, "\(known), \(refund)")
            #expect(periods[0].revocations.map(\.start) == [minute(40)], "\(known), \(refund)")
        }
    }

    @Test func `a non-consumable bought again after its refund begins with the second purchase`() {
        let first = transaction("1", 0, nil) {
            ($0.type, $0.webOrderLineItemId, $0.originalPurchaseDate) = (.nonConsumable, nil, minute(0))
            $0.revocation = .init(revocationDate: minute(20))
        }
        let again = transaction("2", 40, nil) {
            ($0.type, $0.webOrderLineItemId, $0.originalPurchaseDate) = (.nonConsumable, nil, minute(0))
        }
        #expect(fold([first, again]).periods.map(\.text) == ["monthly 0..<∞ #1", "monthly 40..<∞ #2"])
    }

    @Test func `fields that the newer and higher source cannot state come from the receipt`() {
        let answer = transaction("1", 0, 30, signed: 50, rank: .verifyReceiptLatest) {
            ($0.type, $0.offer, $0.subscriptionGroupIdentifier) = (nil, nil, "group")
        }
        let receipt = row("1", 0, 30, created: 40) {
            $0.offer = .init(
                offerType: .introductory, offerIdentifier: nil, offerDiscountType: .freeTrial, offerPeriod: nil)
        }
        let period = fold([answer, receipt]).periods[0]
        #expect(period.type == .autoRenewable && period.subscriptionGroupIdentifier == "group")
        #expect(period.offer?.offerType == .introductory)
        // A JWS states everything, so its silence counts.
        #expect(fold([transaction("1", 0, 30), receipt]).periods[0].offer == nil)
    }

    @Test func `after a signed transaction a receipt only states later ends`() {
        let extended = transaction("1", 0, 45, signed: 10)
        let ends = { (receipt: Observation) in fold([extended, receipt]).periods[0].end(at: .latest) }
        #expect(ends(row("1", 0, 30, created: 20)) == minute(45))
        #expect(ends(row("1", 0, 50, created: 20)) == minute(50))
        #expect(fold([row("1", 0, 30, created: 5), extended]).periods[0].end(at: .latest) == minute(45))
    }

    @Test func `a receipt ends a purchase by its cancellation date, and never lifts one`() {
        let cancelled = row("1", 0, 30, created: 12) { $0.revocation = .init(revocationDate: minute(10)) }
        let silent = row("1", 0, 30, created: 20)
        let period = fold([cancelled, silent]).periods[0]
        #expect(period.revocation(at: minute(25))?.start == minute(10))
        let signed = transaction("1", 0, 30, signed: 21)
        #expect(fold([cancelled, silent, signed]).periods[0].revocation(at: minute(25)) == nil)
    }

    @Test func `a cancellation within a minute of another purchase is an upgrade`() {
        func periods(upgrade start: Int) -> [Period] {
            fold([
                row("1", 0, 30, created: 20) { $0.revocation = .init(revocationDate: minute(10)) },
                row("2", start, 60, created: 20) { $0.productId = "yearly" },
            ]).periods
        }
        let replaced = periods(upgrade: 11)
        #expect(replaced[0].replacement?.start == minute(11) && replaced[0].revocations.isEmpty)
        let refunded = periods(upgrade: 12)
        #expect(refunded[0].revocations.map(\.start) == [minute(10)] && refunded[0].replacement == nil)
    }

    @Test func `a receipt knows the whole history of its keys`() {
        let later = row("3", 60, 90, created: 61)
        let signed = transaction("3", 60, 90)
        func isIncomplete(_ observations: [Observation]) -> Bool {
            Lineage.components(of: [key: Timeline(observations)])[0].isHistoryIncomplete
        }
        #expect(isIncomplete([signed]) && !isIncomplete([later]) && !isIncomplete([signed, later]))
    }

    @Test func `the keys of one receipt are of one Apple account, unless they name different ones`() {
        func groups(_ first: AppleID?, _ second: AppleID?, companion: AppleID? = "1") -> Int {
            let keys = ["1", "2"].map {
                SubscriptionKey(environment: .production, bundleId: "com.example.app", originalTransactionId: $0)
            }
            let timelines = [
                keys[0]: Timeline([
                    row("1", 0, 30, created: 40) { ($0.companion, $0.appTransactionId) = (companion, first) }
                ]),
                keys[1]: Timeline([
                    row("2", 0, 30, created: 40) { ($0.companion, $0.appTransactionId) = (companion, second) }
                ]),
            ]
            return Lineage.components(of: timelines).groupedByAccounts().count
        }
        #expect(groups(nil, nil) == 1 && groups(nil, nil, companion: nil) == 2)
        #expect(groups("700", nil) == 1 && groups("700", "701") == 2)
    }

    @Test func `ids are ordered by length, then by their bytes`() {
        let ids: [AppleID] = ["10", "9", "b", "1", "ab", "a"]
        #expect(ids.sorted { $0.isSmaller(than: $1) }.map(\.text) == ["1", "9", "a", "b", "10", "ab"])
        let second = transaction("10", 0, 30) { $0.webOrderLineItemId = "b" }
        let first = transaction("9", 0, 30) { $0.webOrderLineItemId = "a" }
        #expect(fold([second, first]).periods.map(\.text) == ["monthly 0..<30 #9", "monthly 0..<30 #10"])
    }
}
