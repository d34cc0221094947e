import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `The difference of two histories` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let known: [Observation]
        /// The observations that an event adds at `now`.
        let added: [Observation]
        let now: Int
        /// Whether the follower has the last state of the known history.
        var isFollowed = true
        /// `hour words status` of every row.
        let rows: [String]
    }

    static let refunded = bought(signed: 120) { $0.revocation = refund(100) }

    static let rows = [
        Row(
            testDescription: "begins with a purchase", known: [], added: [bought(), info()], now: 1,
            rows: ["0 started active"]),
        Row(
            testDescription: "is nothing for a repetition", known: [bought(), info()], added: [info()], now: 2,
            rows: []),
        Row(
            testDescription: "is nothing for a copy signed earlier by another channel", known: [bought(signed: 5)],
            added: [bought(signed: 1)], now: 6, rows: []),
        Row(
            testDescription: "is what an event states", known: [bought(), info()], added: [info(50, .off)], now: 51,
            rows: ["50 autoRenewOff active"]),
        Row(
            testDescription: "leaves to time what is still to come", known: [], added: [bought(), info(0, .off)],
            now: month - 1, rows: ["0 started active"]),
        Row(
            testDescription: "takes back an end when the renewal comes late", known: [bought(), info()],
            added: [bought("2", month, 2 * month), info(month, renewalDate: 2 * month)], now: month + 2,
            rows: ["720 renewed active"]),
        Row(
            testDescription: "restates the present when only the past has changed",
            known: [bought(), bought("2", month, 2 * month), info(month, renewalDate: 2 * month)],
            added: [refunded, notified(.refund, signed: 120, transaction: refunded)], now: month + 5,
            rows: ["100 refunded revoked", "720 resubscribed active"]),
        Row(
            testDescription: "restates the present to a follower who was sent something else",
            known: [bought(), info()], added: [], now: 5, isFollowed: false, rows: ["0 started active"]),
    ]

    @Test(arguments: rows)
    func `follows its rule`(row: Row) {
        let announced = history(row.known, until: hour(row.now))
        let held: UInt128? = row.isFollowed ? announced.last.map { FollowedState($0.to).fingerprint } : 7
        let current = history(row.known + row.added, until: hour(row.now))
        let difference = HistoryDifference(from: announced, to: current, held: held)
        let found = difference.transitions.map { transition in
            let words = transition.change.map(\.rawValue).joined(separator: ",")
            return "\(transition.at.milliseconds / 3_600_000) \(words) \(transition.to.status)"
        }
        #expect(found == row.rows)
        #expect(!difference.isWithdrawal)
    }

    @Test func `withdraws a state that is gone, and only one that is held`() throws {
        let announced = history([bought()], until: hour(1))
        #expect(HistoryDifference(from: announced, to: [], held: 7).isWithdrawal)
        #expect(!HistoryDifference(from: announced, to: [], held: nil).isWithdrawal)
        #expect(!HistoryDifference(from: [], to: announced, held: 7).isWithdrawal)
    }

    @Test func `has a fingerprint for each field of a row`() throws {
        let base = [bought(), info()]
        let others = [
            [bought(), info(0, .off)], [bought { $0.productId = "max" }, info()], [bought("2"), info()],
            [bought("1", 1), info()], [bought("1", 0, month + 1), info(renewalDate: month + 1)],
            [bought { $0.offer = offer(.introductory, .freeTrial) }, info()],
            [bought(), info { $0.autoRenewProductId = "max" }],
            [bought(), info { $0.priceIncreaseStatus = .pending }],
        ]
        func fingerprint(_ observations: [Observation]) throws -> UInt128 {
            FollowedState(try #require(state(observations, at: hour(2)))).fingerprint
        }
        let fingerprints = try Set((others + [base]).map(fingerprint))
        #expect(fingerprints.count == others.count + 1)
    }
}
