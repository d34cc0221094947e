import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `The latest purchase` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let observations: [Observation]
        /// The latest transaction at each minute.
        let latest: KeyValuePairs<Int, String>

        init(_ name: String, _ observations: [Observation], _ latest: KeyValuePairs<Int, String>) {
            testDescription = name
            self.observations = observations
            self.latest = latest
        }
    }

    /// The renewal of 1, charged before minute 30.
    static func renewal(upgraded: Bool = false) -> Observation {
        transaction("2", 30, 60, signed: 10) { ($0.transactionReason, $0.isUpgraded) = (.renewal, upgraded) }
    }

    /// A plan change bought after that charge.
    static let change = transaction("3", 20, 50) { ($0.transactionReason, $0.productId) = (.purchase, "yearly") }
    static let first = transaction("1", 0, 30)

    static func about(_ end: Int, signed: Int) -> Observation { renewalInfo(signed: signed, renewalDate: end) }

    static let rows = [
        Row("is the one that starts last", [transaction("2", 30, 60), first], [-1: "none", 0: "1", 29: "1", 30: "2"]),
        Row(
            "is the one that ends last, of equal starts", [transaction("2", 0, 60), transaction("9", 0, 30)],
            [0: "2", 40: "2"]),
        Row(
            "is the one with the greater transactionId by length, then by bytes, of equal dates",
            [transaction("10", 0, 30), transaction("9", 0, 30)], [0: "10"]),
        Row("stays the latest until another begins", [first, transaction("2", 90, 99)], [80: "1", 90: "2"]),
        Row(
            "is the renewal after a plan change before its start of which nothing more is known",
            [first, renewal(), change], [19: "1", 20: "3", 29: "3", 30: "2"]),
        Row(
            "is the plan change where the renewal is marked isUpgraded", [first, renewal(upgraded: true), change],
            [19: "1", 20: "3", 30: "3", 70: "3"]),
        Row(
            "is the plan change where the newest renewal info of either speaks of it",
            [first, renewal(), change, about(60, signed: 21), about(50, signed: 22)], [20: "3", 30: "3", 70: "3"]),
        Row(
            "is the renewal where the newest renewal info of either speaks of that",
            [first, renewal(), change, about(50, signed: 21), about(60, signed: 22)], [20: "3", 30: "2"]),
        Row(
            "is decided by the renewal infos signed by then", [first, renewal(), change, about(50, signed: 40)],
            [29: "3", 30: "2", 39: "2", 40: "3"]),
        Row(
            "is not decided by a renewal info from before the plan change",
            [first, renewal(), change, about(50, signed: 19)], [30: "2"]),
        Row(
            "is the renewal after a plan change more than 24 hours before its start",
            [
                transaction("1", 0, 5_000),
                transaction("2", 5_000, 9_000, signed: 3_560) { $0.transactionReason = .renewal },
                transaction("3", 3_559, 8_000) { ($0.transactionReason, $0.productId) = (.purchase, "yearly") },
                about(8_000, signed: 4_000),
            ],
            [4_999: "3", 5_000: "2"]),
        Row(
            "is the plan change exactly 24 hours before",
            [
                transaction("1", 0, 5_000),
                transaction("2", 5_000, 9_000, signed: 3_560) { $0.transactionReason = .renewal },
                transaction("3", 3_560, 8_000) { ($0.transactionReason, $0.productId) = (.purchase, "yearly") },
                about(8_000, signed: 4_000),
            ],
            [4_999: "3", 5_000: "3"]),
    ]

    @Test(arguments: rows)
    func `follows its rule`(row: Row) {
        for observations in [row.observations, row.observations.reversed()] {
            let periods = fold(observations).periods
            for (at, expected) in row.latest {
                #expect(periods.latest(begunBy: minute(at))?.transactionId?.text ?? "none" == expected, "at \(at)")
            }
        }
    }

    @Test func `charged ahead is the one that begins where a period ends, once signed and unless refunded`() {
        func charged(_ observations: [Observation], at: Int) -> String? {
            let periods = fold([Self.first] + observations).periods
            return periods.renewal(of: periods[0], chargedBy: minute(at))?.transactionId?.text
        }
        let refunded = transaction("2", 30, 60, signed: 25) { $0.revocation = .init(revocationDate: minute(24)) }
        #expect(charged([Self.renewal()], at: 9) == nil)
        #expect(charged([Self.renewal()], at: 10) == "2")
        #expect(charged([Self.renewal(), refunded], at: 23) == "2")
        #expect(charged([Self.renewal(), refunded], at: 24) == nil)
        #expect(charged([transaction("2", 31, 60, signed: 10)], at: 20) == nil)
    }
}
