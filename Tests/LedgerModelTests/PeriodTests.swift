import AppStoreModel
import LedgerModel
import LedgerTesting
import Primitives
import Testing

@Suite struct `A period` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let observations: [Observation]
        let periods: [String]

        init(_ name: String, _ observations: [Observation], _ periods: [String]) {
            testDescription = name
            self.observations = observations
            self.periods = periods
        }
    }

    static let rows = [
        Row(
            "each line item is one", [transaction("1", 0, 30), transaction("2", 30, 60)],
            ["monthly 0..<30 #1", "monthly 30..<60 #2"]),
        Row(
            "restored copies of a line item belong to the first of them",
            [
                transaction("3", 20, 30) { $0.webOrderLineItemId = "item" },
                transaction("2", 10, 30) { $0.webOrderLineItemId = "item" },
                transaction("1", 0, 30) { $0.webOrderLineItemId = "item" },
            ],
            ["monthly 0..<30 #1"]),
        Row(
            "a line item counts within one product",
            [
                transaction("1", 0, 30) { $0.webOrderLineItemId = "item" },
                transaction("2", 0, 40) { ($0.webOrderLineItemId, $0.productId) = ("item", "yearly") },
            ],
            ["monthly 0..<30 #1", "yearly 0..<40 #2"]),
        Row(
            "without a line item each transaction is one",
            [
                transaction("1", 0, 30) { $0.webOrderLineItemId = nil },
                transaction("2", 0, 30) { $0.webOrderLineItemId = nil },
                transaction("1", 0, 30, signed: 5) { $0.webOrderLineItemId = nil },
            ],
            ["monthly 0..<30 #1", "monthly 0..<30 #2"]),
        Row(
            "every transaction of a non-consumable is the same one, without end",
            [
                transaction("2", 50, nil) { ($0.type, $0.webOrderLineItemId) = (.nonConsumable, nil) },
                transaction("1", 0, nil) { ($0.type, $0.webOrderLineItemId) = (.nonConsumable, nil) },
            ],
            ["monthly 0..<∞ #1"]),
        Row(
            "of a non-consumable has no end, whatever date it carries",
            [transaction("1", 0, 30) { ($0.type, $0.webOrderLineItemId) = (.nonConsumable, nil) }],
            ["monthly 0..<∞ #1"]),
        Row(
            "each consumable is one",
            [
                transaction("1", 0, nil) { ($0.type, $0.webOrderLineItemId) = (.consumable, nil) },
                transaction("2", 0, nil) { ($0.type, $0.webOrderLineItemId) = (.consumable, nil) },
            ],
            ["monthly 0..<∞ #1", "monthly 0..<∞ #2"]),
        Row(
            "what does not change is taken from the highest rank, then the newest",
            [
                transaction("1", 0, 30, signed: 10) { $0.productId = "older" },
                transaction("1", 0, 30, signed: 20) { $0.productId = "newer" },
                transaction("1", 0, 30, signed: 30, rank: .verifyReceiptLatest) { $0.productId = "weaker" },
            ],
            ["newer 0..<30 #1"]),
        Row(
            "a line item bought again after its revocation is one of its own",
            [
                transaction("1", 0, 100) {
                    $0.webOrderLineItemId = "item"
                    $0.revocation = .init(revocationDate: minute(20))
                },
                transaction("2", 40, 100) { $0.webOrderLineItemId = "item" },
            ],
            ["monthly 0..<100 #1", "monthly 40..<100 #2"]),
        Row("without purchaseDate there is none", [transaction("1", 0, 30) { $0.purchaseDate = nil }], []),
    ]

    @Test(arguments: rows)
    func `follows its rule`(row: Row) {
        #expect(fold(row.observations).periods.map(\.text) == row.periods)
        #expect(fold(row.observations.reversed()).periods.map(\.text) == row.periods)
    }

    @Test func `ends at expiresDate as observed up to the instant`() {
        let period = fold([transaction("1", 0, 30, signed: 1), transaction("1", 0, 45, signed: 20)]).periods[0]
        let ends = [-5, 1, 19, 20, 60].map { period.end(at: minute($0)) }
        #expect(ends == [30, 30, 30, 45, 45].map(minute))
        #expect(period.covers(minute(44)))
        #expect(!period.covers(minute(45)))
        #expect(!period.covers(minute(-1)))
    }

    struct ExtensionRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let renewalInfo: Observation
        var isCarriedByRenewalExtended = false
        let period: String
    }

    /// Renewal infos that extend the period 0..<3000 minutes (fifty hours), or do not.
    static let extensions = [
        ExtensionRow(
            testDescription: "more than 24 hours before the end",
            renewalInfo: LedgerModelTests.renewalInfo(signed: 1_559, renewalDate: 4_000),
            period: "monthly 0..<4000 #1"),
        ExtensionRow(
            testDescription: "not in the last 24 hours",
            renewalInfo: LedgerModelTests.renewalInfo(signed: 1_560, renewalDate: 4_000),
            period: "monthly 0..<3000 #1"),
        ExtensionRow(
            testDescription: "in the last 24 hours with a RENEWAL_EXTENDED",
            renewalInfo: LedgerModelTests.renewalInfo(signed: 2_999, renewalDate: 4_000),
            isCarriedByRenewalExtended: true,
            period: "monthly 0..<4000 #1"),
        ExtensionRow(
            testDescription: "not for another product",
            renewalInfo: LedgerModelTests.renewalInfo(signed: 10, renewalDate: 4_000, product: "yearly"),
            period: "monthly 0..<3000 #1"),
        ExtensionRow(
            testDescription: "not signed outside it",
            renewalInfo: LedgerModelTests.renewalInfo(signed: 3_000, renewalDate: 4_000),
            period: "monthly 0..<3000 #1"),
        ExtensionRow(
            testDescription: "not to an earlier date",
            renewalInfo: LedgerModelTests.renewalInfo(signed: 10, renewalDate: 2_000),
            period: "monthly 0..<3000 #1"),
    ]

    @Test(arguments: extensions)
    func `is extended by a renewal info alone`(row: ExtensionRow) throws {
        let notice = notification(.renewalExtended, signed: 2_999, renewalInfo: row.renewalInfo)
        let observations =
            [transaction("1", 0, 3_000), row.renewalInfo] + (row.isCarriedByRenewalExtended ? [notice] : [])
        let period = try #require(fold(observations).periods.first { $0.transactionId == "1" })
        #expect(period.text == row.period)
        #expect(period.end(at: row.renewalInfo.source.time.advanced(byMilliseconds: -1)) == minute(3_000))
    }

    @Test(arguments: [1, 2, 8, 9, 16, 17, 40, 200])
    func `is one for each purchase, however many there are and in whatever order they come`(count: Int) {
        var generator = SeededRandom()
        let observations = (0..<count).flatMap { number in
            // A restore repeats the line item under another id, and each is observed twice.
            let item = AppleID("item-\(number)")
            return [number, number + 10_000].flatMap { id in
                (0..<2).map { copy in
                    transaction("\(id)", number * 10, number * 10 + 10, signed: number * 10 + copy) {
                        $0.webOrderLineItemId = item
                        if id >= 10_000 { $0.purchaseDate = minute(number * 10 + 1) }
                    }
                }
            }
        }
        let periods = fold(observations.shuffled(using: &generator)).periods
        let expected = (0..<count).map { "monthly \($0 * 10)..<\($0 * 10 + 10) #\($0)" }
        #expect(periods.map(\.text) == expected, "seed \(SeededRandom.seed)")
        #expect(periods.allSatisfy { $0.sources.count == 4 })
    }

    @Test func `takes an offer from one observation as a whole`() {
        func offer(_ type: OfferType?, _ identifier: Symbol?) -> TransactionFact.Offer? {
            .init(offerType: type, offerIdentifier: identifier, offerDiscountType: nil, offerPeriod: nil)
        }
        let period = fold([
            transaction("1", 0, 30, signed: 1) { $0.offer = offer(.promotional, "spring") },
            transaction("1", 0, 30, signed: 2) { $0.offer = offer(.introductory, nil) },
        ]).periods[0]
        #expect(period.offer == offer(.introductory, nil))
        #expect(offer(nil, nil) == nil)
    }
}
