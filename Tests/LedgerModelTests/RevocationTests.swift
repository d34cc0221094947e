import AppStoreModel
import LedgerModel
import Primitives
import Testing

@Suite struct `A revocation` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let observations: [Observation]
        /// The minutes among 0, 5, … 60 at which transaction 1 is revoked.
        let revoked: [Int]

        init(_ name: String, _ observations: [Observation], revoked: [Int]) {
            testDescription = name
            self.observations = observations
            self.revoked = revoked
        }
    }

    static func refunded(
        _ date: Int, signed: Int, _ id: String = "1", reason: RevocationReason? = .other
    ) -> Observation {
        transaction(id, 0, 100, signed: signed) {
            $0.webOrderLineItemId = "item"
            $0.revocation = .init(revocationDate: minute(date))
            $0.revocation?.revocationReason = reason
        }
    }

    static func sound(signed: Int, _ id: String = "1") -> Observation {
        transaction(id, 0, 100, signed: signed) { $0.webOrderLineItemId = "item" }
    }

    static let until60 = Array(stride(from: 30, through: 60, by: 5))

    static let rows = [
        Row("there is none without revocationDate", [sound(signed: 0)], revoked: []),
        Row("begins at revocationDate, not when it was signed", [refunded(30, signed: 50)], revoked: until60),
        Row(
            "an older copy without revocationDate lifts nothing", [sound(signed: 0), refunded(30, signed: 30)],
            revoked: until60),
        Row(
            "a copy signed at the same instant lifts nothing", [sound(signed: 30), refunded(30, signed: 30)],
            revoked: until60),
        Row(
            "the first later copy without revocationDate lifts it",
            [refunded(30, signed: 30), sound(signed: 45), sound(signed: 55)], revoked: [30, 35, 40]),
        Row(
            "REFUND_REVERSED counts before such a copy",
            [
                refunded(30, signed: 30), sound(signed: 40), sound(signed: 50),
                notification(.refundReversed, signed: 50, carrying: sound(signed: 50)),
            ],
            revoked: [30, 35, 40, 45]),
        Row(
            "REFUND_REVERSED of another transaction lifts nothing",
            [
                refunded(30, signed: 30),
                notification(.refundReversed, signed: 40, carrying: transaction("2", 0, 100, signed: 40)),
                transaction("2", 0, 100, signed: 40),
            ],
            revoked: until60),
        Row(
            "REFUND_REVERSED lifts it even if the copy it carries still has the date",
            [refunded(30, signed: 40), notification(.refundReversed, signed: 40, carrying: refunded(30, signed: 40))],
            revoked: [30, 35]),
        Row(
            "a second refund after a reversal is a second interval",
            [refunded(10, signed: 10), sound(signed: 20), refunded(40, signed: 45)],
            revoked: [10, 15, 40, 45, 50, 55, 60]),
        Row(
            "an unsigned source lifts nothing that a signed one set",
            [
                refunded(30, signed: 30),
                transaction("1", 0, 100, signed: 40, rank: .verifyReceiptLatest) { $0.webOrderLineItemId = "item" },
            ],
            revoked: until60),
        Row(
            "a period is revoked if any restored copy is",
            [sound(signed: 0), refunded(30, signed: 35, "2"), sound(signed: 50)], revoked: until60),
        Row(
            "an unknown reason without a successor revokes", [refunded(30, signed: 30, reason: .init(rawValue: 2))],
            revoked: until60),
        Row(
            "an unknown reason with a successor replaces",
            [refunded(30, signed: 30, reason: .init(rawValue: 2)), transaction("2", 30, 130)], revoked: []),
        Row(
            "a reversal signed before its refund lifts nothing",
            [
                refunded(30, signed: 30), sound(signed: 20),
                notification(.refundReversed, signed: 20, carrying: sound(signed: 20)),
            ],
            revoked: until60),
        Row(
            "a signed status 5 about it revokes it from then on",
            [
                sound(signed: 0), sound(signed: 35),
                notification(.revoke, signed: 35, status: .revoked, carrying: sound(signed: 35)),
            ],
            revoked: Array(stride(from: 35, through: 60, by: 5))),
        Row(
            "a signed status 5 about nothing known revokes nothing",
            [sound(signed: 0), notification(.revoke, signed: 35, status: .revoked)], revoked: []),
        Row(
            "another signed status lifts a signed status 5",
            [
                sound(signed: 0), sound(signed: 35), sound(signed: 50),
                notification(.revoke, signed: 35, status: .revoked, carrying: sound(signed: 35)),
                notification(.didRenew, signed: 50, status: .active, carrying: sound(signed: 50)),
            ],
            revoked: [35, 40, 45]),
        Row("a reason need not be given", [refunded(30, signed: 30, reason: nil)], revoked: until60),
    ]

    @Test(arguments: rows)
    func `follows its rule`(row: Row) {
        for observations in [row.observations, row.observations.reversed()] {
            let periods = fold(observations).periods
            let period = periods.first { $0.transactionId == "1" }
            let revoked = stride(from: 0, through: 60, by: 5).filter { period?.revocation(at: minute($0)) != nil }
            #expect(revoked == row.revoked)
        }
    }
}
