import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `Transitions` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let observations: [Observation]
        let rules: Rules
        /// `hour from>to cause`; `+` if the subscription will renew.
        let transitions: [String]

        init(_ name: String, _ observations: [Observation], rules: Rules = Rules(), _ transitions: [String]) {
            testDescription = name
            self.observations = observations
            self.rules = rules
            self.transitions = transitions
        }
    }

    static let purchase = bought()
    static let subscribed = [purchase, info(), notified(.subscribed, .initialBuy, signed: 0, transaction: purchase)]

    static let second = bought("2", month, 2 * month, signed: month - 10)
    static let upgrade = bought("2", 100, 100 + month) { $0.productId = "max" }
    static let off = info(50, .off)
    static let expired = info(month + 2, .off) { $0.expirationIntent = .cancelled }
    static let inGrace = failed(month, graceUntil: month + 16 * day)
    static let inRetry = failed(month + 16 * day + 1)
    static let refunded = bought(signed: 120) { $0.revocation = refund(100) }
    static let restored = bought(signed: 200)

    static let rows = [
        Row(
            "begin with the purchase", subscribed,
            ["0 -active+ SUBSCRIBED/INITIAL_BUY", "720 active active+ time", "721 active expired time"]),
        Row(
            "name what was posted alone by its kind", [bought(), info(7), info(8, .off)],
            ["0 -active+ transaction", "8 active active renewalInfo", "720 active expired renewalInfo"]),
        Row(
            "tell a renewal",
            subscribed + [second, info(month - 10, .off, renewalDate: 2 * month)],
            [
                "0 -active+ SUBSCRIBED/INITIAL_BUY", "720 active active transaction", "1440 active expired renewalInfo",
            ]),
        Row(
            "tell a switch of auto-renew, and the expiry that it states",
            subscribed + [off, notified(.didChangeRenewalStatus, .autoRenewDisabled, signed: 50, renewalInfo: off)],
            [
                "0 -active+ SUBSCRIBED/INITIAL_BUY", "50 active active DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                "720 active expired DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
            ]),
        Row(
            "tell an expiry in the words of the renewal info signed since",
            subscribed + [off, expired, notified(.expired, .voluntary, signed: month + 2, renewalInfo: expired)],
            [
                "0 -active+ SUBSCRIBED/INITIAL_BUY", "50 active active renewalInfo",
                "720 active expired EXPIRED/VOLUNTARY",
            ]),
        Row(
            "tell a change of product",
            subscribed + [
                upgrade, bought(signed: 100) { $0.isUpgraded = true },
                notified(.didChangeRenewalPref, .upgrade, signed: 100, transaction: upgrade),
                info(100, .off, renewalDate: 820),
            ],
            [
                "0 -active+ SUBSCRIBED/INITIAL_BUY", "100 active active DID_CHANGE_RENEWAL_PREF/UPGRADE",
                "820 active expired renewalInfo",
            ]),
        Row(
            "tell a failure by what Apple signed, and the end of grace by time",
            subscribed + [
                inGrace, notified(.didFailToRenew, .gracePeriod, signed: month, renewalInfo: inGrace),
                inRetry, notified(.gracePeriodExpired, signed: month + 16 * day + 1, renewalInfo: inRetry),
            ],
            [
                "0 -active+ SUBSCRIBED/INITIAL_BUY", "720 active gracePeriod+ DID_FAIL_TO_RENEW/GRACE_PERIOD",
                "1104 gracePeriod billingRetry+ time", "2160 billingRetry expired GRACE_PERIOD_EXPIRED",
            ]),
        Row(
            "tell own grace and limited access by time", [bought(), failed()],
            rules: .access { ($0.ownGraceDays, $0.limitedAccessDays) = (1, 1) },
            [
                "0 -active+ transaction", "720 active billingRetry+ renewalInfo", "744 billingRetry billingRetry+ time",
                "768 billingRetry billingRetry+ time", "2160 billingRetry expired renewalInfo",
            ]),
        Row(
            "tell a refund when it took effect, and its reversal when it was signed",
            subscribed + [
                refunded, notified(.refund, signed: 120, transaction: refunded), restored,
                notified(.refundReversed, signed: 200, transaction: restored), off,
            ],
            [
                "0 -active+ SUBSCRIBED/INITIAL_BUY", "50 active active renewalInfo", "100 active revoked REFUND",
                "200 revoked active REFUND_REVERSED", "720 active expired renewalInfo",
            ]),
        Row(
            "tell an implied period by what implies it",
            [bought(), info(0, .on), info(month + 5, .off, renewalDate: 2 * month)],
            ["0 -active+ transaction", "720 active active renewalInfo", "1440 active expired renewalInfo"]),
        Row(
            "tell a signed status that decides",
            [bought(), info(0, .on), sound, notified(.revoke, signed: 60, status: .revoked, transaction: sound)],
            ["0 -active+ transaction", "60 active revoked REVOKE"]),
        Row(
            "tell an extension when it was signed",
            [bought(), info(0, .off), bought(signed: month + 5) { $0.expiresDate = hour(month + 9) }],
            [
                "0 -active transaction", "720 active expired renewalInfo", "725 expired active transaction",
                "729 active expired renewalInfo",
            ]),
        Row(
            "take the least observation that states the change",
            [
                bought(signed: 3), bought(signed: 9) { $0.price = .init(price: 1, currency: nil) },
                notified(.consumptionRequest, signed: 3, transaction: bought(signed: 3)),
                notified(
                    .subscribed, signed: 9,
                    transaction: bought(signed: 9) { $0.price = .init(price: 1, currency: nil) }), info(0, .off),
            ],
            ["0 -active CONSUMPTION_REQUEST", "720 active expired renewalInfo"]),
    ]

    static let sound = bought(signed: 60)

    @Test(arguments: rows)
    func `follow their rule`(row: Row) {
        for observations in [row.observations, row.observations.reversed()] {
            let transitions = history(observations, until: hour(99 * month), rules: row.rules).map { transition in
                let from = transition.from.map { "\($0.status) " } ?? "-"
                let sign = transition.to.willRenew == true ? "+" : ""
                return "\(transition.at.milliseconds / 3_600_000) \(from)\(transition.to.status)\(sign) "
                    + transition.cause.name
            }
            #expect(transitions == row.transitions)
        }
    }

    @Test func `stop at the instant asked for`() {
        #expect(history(Self.subscribed, until: hour(-1)).isEmpty)
        #expect(history(Self.subscribed, until: hour(0)).count == 1)
        #expect(history(Self.subscribed, until: hour(719)).count == 1)
        #expect(history(Self.subscribed, until: hour(720)).count == 2)
        #expect(history(Self.subscribed, until: hour(721)).count == 3)
    }

    @Test func `of a migrated key are caused by the purchase under the new one`() {
        let migrated = bought("9", 100, 100 + month) { $0.previousOriginalTransactionId = "1" }
        let notification = notified(.migration, signed: 100, transaction: migrated)
        let lineages = Lineage.components(of: [
            key(): Timeline([bought()]), key("9"): Timeline([migrated, notification]),
        ])
        let causes = lineages.histories(until: hour(100), rules: Rules()).map { $0.transitions.map(\.cause.name) }
        #expect(causes == [["transaction", "MIGRATION"], ["MIGRATION"]])
    }

    @Test func `carry when the cause was recorded, and the positions they rest on`() {
        let purchase = bought(position: 5)
        let transitions = history([purchase, info(position: 6)], until: hour(9 * month))
        #expect(transitions.map(\.recordedAt) == [Instant(milliseconds: 5), nil, nil])
        #expect(transitions.map(\.evidence) == [[5, 6], [5, 6], [5, 6]])
    }
}
