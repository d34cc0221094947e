import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `The words for a change` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let observations: [Observation]
        let rules: Rules
        /// `hour words` of every row of the history.
        let changes: [String]

        init(_ name: String, _ observations: [Observation], rules: Rules = Rules(), _ changes: [String]) {
            testDescription = name
            self.observations = observations
            self.rules = rules
            self.changes = changes
        }
    }

    /// A later purchase that ends without leeway.
    static func next(
        _ start: Int, _ end: Int = 2 * month, _ change: (inout TransactionFact) -> Void = { _ in }
    ) -> [Observation] {
        let purchase = bought("2", start, end) {
            $0.transactionReason = .renewal
            change(&$0)
        }
        guard case .transaction(let fact) = purchase.fact else { return [] }
        let renewalInfos = [(start, AutoRenewStatus.on), (end, .off)].map { signed, status in
            info(signed, status, renewalDate: end) {
                ($0.productId, $0.autoRenewProductId) = (fact.productId, fact.productId)
            }
        }
        return [purchase] + renewalInfos
    }

    static let off = info(0, .off)

    static let purchases = [
        Row("started, then expired", [bought(), off], ["0 started", "720 expired"]),
        Row("renewed", [bought(), info()] + next(month), ["0 started", "720 renewed", "1440 expired"]),
        Row(
            "renewed within an hour, after a wait", [bought(), info()] + next(month + 1),
            ["0 started", "720 awaitingRenewal", "721 renewed", "1440 expired"]),
        Row(
            "converted",
            [
                bought { ($0.price, $0.offer) = (.init(price: 0, currency: "EUR"), offer(.introductory, .freeTrial)) },
                info(),
            ]
                + next(month) { $0.price = .init(price: 9_990, currency: "EUR") },
            ["0 started", "720 renewed converted", "1440 expired"]),
        Row(
            "planChanged in mid-period",
            [bought(), info()] + next(100, 820) { ($0.productId, $0.transactionReason) = ("max", .purchase) },
            ["0 started", "100 planChanged", "820 expired"]),
        Row(
            "planChanged at a renewal, as scheduled",
            [bought(), info(), info(50) { $0.autoRenewProductId = "basic" }] + next(month) { $0.productId = "basic" },
            ["0 started", "50 planChangeScheduled", "720 renewed planChanged", "1440 expired"]),
        Row(
            "resubscribed after an end", [bought(), off] + next(900, 1_800) { $0.transactionReason = .purchase },
            ["0 started", "720 expired", "900 resubscribed", "1800 expired"]),
        Row(
            "resubscribed after a refund",
            [bought { $0.revocation = refund(100) }] + next(200, 900) { $0.transactionReason = .purchase },
            ["0 started", "100 refunded", "200 resubscribed", "900 expired"]),
        Row(
            "purchased, refunded", [bought("1", 0, nil) { ($0.type, $0.revocation) = (.nonConsumable, refund(100)) }],
            ["0 purchased", "100 refunded"]),
    ]

    static let failures = [
        Row(
            "billingFailed, recovered", [bought(), info(), failed()] + next(month + 100),
            ["0 started", "720 billingFailed", "820 recovered", "1440 expired"]),
        Row(
            "graceStarted, graceEnded, expired", [bought(), info(), failed(month, graceUntil: month + 48)],
            ["0 started", "720 graceStarted", "768 graceEnded", "2160 expired"]),
        Row(
            "graceStarted, recovered", [bought(), info(), failed(month, graceUntil: month + 48)] + next(month + 24),
            ["0 started", "720 graceStarted", "744 recovered", "1440 expired"]),
        Row(
            "recovered after an inferred failure", [bought(), info()] + next(month + 100),
            ["0 started", "720 billingFailed", "820 recovered", "1440 expired"]),
        Row(
            "accessChanged alone, by own grace and limited days", [bought(), info(), failed()],
            rules: .access { ($0.ownGraceDays, $0.limitedAccessDays) = (1, 1) },
            ["0 started", "720 billingFailed", "744 accessChanged", "768 accessChanged", "2160 expired"]),
        Row("awaitingRenewal", [bought(), info()], ["0 started", "720 awaitingRenewal", "721 expired"]),
    ]

    static let renewals = [
        Row(
            "autoRenewOff, autoRenewOn", [bought(), info(), info(50, .off), info(60), info(70, .off)],
            ["0 started", "50 autoRenewOff", "60 autoRenewOn", "70 autoRenewOff", "720 expired"]),
        Row(
            "planChangeScheduled, planChangeCancelled",
            [bought(), info(), info(50) { $0.autoRenewProductId = "basic" }, info(60), info(70, .off)],
            ["0 started", "50 planChangeScheduled", "60 planChangeCancelled", "70 autoRenewOff", "720 expired"]),
        Row(
            "planChangeScheduled again, to another product",
            [
                bought(), info(), info(50) { $0.autoRenewProductId = "basic" },
                info(60) { $0.autoRenewProductId = "max" }, info(70, .off),
            ],
            [
                "0 started", "50 planChangeScheduled", "60 planChangeScheduled", "70 autoRenewOff planChangeCancelled",
                "720 expired",
            ]),
        Row(
            "priceIncreasePending, priceIncreaseAccepted",
            [
                bought(), info(), info(50) { $0.priceIncreaseStatus = .pending },
                info(60) { $0.priceIncreaseStatus = .accepted }, info(700, .off),
            ],
            ["0 started", "50 priceIncreasePending", "60 priceIncreaseAccepted", "700 autoRenewOff", "720 expired"]),
    ]

    static let revocations = [
        Row(
            "refunded, refundReversed",
            [bought(), off, bought(signed: 100) { $0.revocation = refund(100) }, bought(signed: 200)],
            ["0 started", "100 refunded", "200 refundReversed", "720 expired"]),
        Row(
            "refunded of an older period", [bought { $0.revocation = refund(month + 100) }, info()] + next(month),
            ["0 started", "720 renewed", "820 refunded", "1440 expired"]),
        Row(
            "revoked by the family",
            [bought { ($0.inAppOwnershipType, $0.revocation) = (.familyShared, refund(100, .familyRevoke)) }],
            ["0 started", "100 revoked"]),
        Row(
            "revoked by a signed status 5",
            [
                bought(), bought(signed: 100),
                notified(.revoke, signed: 100, status: .revoked, transaction: bought(signed: 100)),
            ],
            ["0 started", "100 revoked"]),
        Row(
            "extended",
            [bought(), off, bought(signed: 100) { $0.expiresDate = hour(800) }, info(100, .off, renewalDate: 800)],
            ["0 started", "100 extended", "800 expired"]),
    ]

    @Test(arguments: purchases + failures + renewals + revocations)
    func `follow their rule`(row: Row) {
        for observations in [row.observations, row.observations.reversed()] {
            let changes = history(observations, until: hour(99 * month), rules: row.rules).map { transition in
                "\(transition.at.milliseconds / 3_600_000) " + transition.change.map(\.rawValue).joined(separator: " ")
            }
            // The words of a row are not ordered.
            let sorted = { (text: String) in text.split(separator: " ").sorted().joined(separator: " ") }
            #expect(changes.map(sorted) == row.changes.map(sorted))
        }
    }

    @Test func `are replaced where another key takes the place`() {
        let migrated = bought("9", 100, 100 + month) { $0.previousOriginalTransactionId = "1" }
        let lineages = Lineage.components(of: [key(): Timeline([bought(), info()]), key("9"): Timeline([migrated])])
        let words = lineages.histories(until: hour(100), rules: Rules()).map { $0.transitions.map(\.change) }
        #expect(words == [[[.started], [.replaced]], [[.started]]])
    }

    @Test func `are renewed where one payload states a renewal and the period before it`() {
        let early = bought("1", 100, 820, signed: 90) { $0.transactionReason = .renewal }
        #expect(
            history([early, info(90, renewalDate: 820)], until: hour(100)).map(\.change) == [[.started], [.renewed]])
    }
}
