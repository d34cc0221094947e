import AppStoreModel
import LedgerModel
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

    @Test func `takes an offer from one observation as a whole`() {
        func offer(_ type: OfferType?, _ identifier: String?) -> TransactionFact.Offer? {
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
