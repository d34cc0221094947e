import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `A failed renewal` {
    static let unsettled = failed(month)
    static let settled = failed(month + 100)

    static let grace = [
        StatusRow(
            "is in grace until gracePeriodExpiresDate, then in retry",
            [bought(), info(), failed(month, graceUntil: month + 16 * day)],
            at: [
                month: "gracePeriod full appleGrace", month + 16 * day - 1: "gracePeriod full appleGrace",
                month + 16 * day: "billingRetry none billingRetry",
            ]),
        StatusRow(
            "is in grace from the end on, however late Apple says so",
            [bought(), info(), failed(month + 50, graceUntil: month + 6 * day)],
            at: [month - 1: "active full paid", month: "gracePeriod full appleGrace"]),
        StatusRow(
            "is in grace with auto-renew off too", [bought(), failed(month, graceUntil: month + 100, .off)],
            at: [month + 99: "gracePeriod full appleGrace", month + 100: "expired none billingFailed"]),
        StatusRow(
            "is not in the grace of another purchase",
            [bought(), failed(month, graceUntil: month + 500), bought("2", month + 100, month + 200)],
            at: [
                month + 99: "gracePeriod full appleGrace", month + 199: "active full paid",
                month + 200: "active full awaitingRenewal", month + 201: "expired none unknown",
            ]),
        StatusRow(
            "is not in grace when it is refunded",
            [bought { $0.revocation = refund(100) }, failed(50, graceUntil: 900)],
            at: [100: "revoked none refunded", 800: "revoked none refunded"]),
    ]

    static let signedGrace = [
        StatusRow(
            "is in grace for 28 days at most by a signed status 4 without a date",
            [
                bought(), unsettled,
                notified(.didFailToRenew, .gracePeriod, signed: month, status: .gracePeriod, renewalInfo: unsettled),
            ],
            at: [
                month: "gracePeriod full appleGrace", month + 28 * day - 1: "gracePeriod full appleGrace",
                month + 28 * day: "billingRetry none billingRetry",
            ]),
        StatusRow(
            "is in that grace until another status about it",
            [
                bought(), unsettled, settled,
                notified(.didFailToRenew, .gracePeriod, signed: month, status: .gracePeriod, renewalInfo: unsettled),
                notified(.gracePeriodExpired, signed: month + 100, status: .billingRetry, renewalInfo: settled),
            ],
            at: [month + 99: "gracePeriod full appleGrace", month + 100: "billingRetry none billingRetry"]),
        StatusRow(
            "is not in grace by a status 4 where no retry is known",
            [
                bought(),
                notified(.didFailToRenew, .gracePeriod, signed: month, status: .gracePeriod, transaction: bought()),
            ],
            at: [month: "active full awaitingRenewal", month + 1: "expired none unknown"]),
    ]

    static let retry = [
        StatusRow(
            "is in retry for sixty days", [bought(), failed()],
            at: [
                month: "billingRetry none billingRetry", month + 60 * day - 1: "billingRetry none billingRetry",
                month + 60 * day: "expired none billingFailed",
            ]),
        StatusRow(
            "is in retry for a day outside Production", [bought(), failed()], in: .sandbox,
            at: [month + day - 1: "billingRetry none billingRetry", month + day: "expired none billingFailed"]),
        StatusRow(
            "is in retry outside Production until another word", [bought(), failed(), info(month + 9, .off)],
            in: .sandbox,
            at: [month + 8: "billingRetry none billingRetry", month + 9: "expired none cancelled"]),
        StatusRow(
            "is not in retry with auto-renew off", [bought(), failed(month, .off)],
            at: [month: "expired none billingFailed"]),
        StatusRow(
            "is in retry where nothing says whether it renews",
            [bought(), info(month, nil) { $0.isInBillingRetryPeriod = true }],
            at: [month: "billingRetry none billingRetry"]),
        StatusRow(
            "leaves retry with the next purchase", [bought(), failed(), bought("2", month + 100, 2 * month)],
            at: [month + 99: "billingRetry none billingRetry", month + 100: "active full paid"]),
        StatusRow(
            "is known in hindsight from the end on, and not before it", [bought(), failed(month + 10)],
            at: [1: "active full paid", month: "billingRetry none billingRetry"]),
    ]

    static func renewed(_ start: Int, _ reason: TransactionReason = .renewal) -> Observation {
        bought("2", start, start + month) { $0.transactionReason = reason }
    }

    static let inferred = [
        StatusRow(
            "is inferred from a renewal after a gap", [bought(), renewed(month + 50)],
            at: [
                month - 1: "active full paid", month: "billingRetry none billingRetry",
                month + 49: "billingRetry none billingRetry", month + 50: "active full paid",
            ]),
        StatusRow(
            "is inferred from a gap of sixty days", [bought(), renewed(month + 60 * day)],
            at: [month: "billingRetry none billingRetry"]),
        StatusRow(
            "is not inferred from a longer gap", [bought(), renewed(month + 60 * day + 1)],
            at: [month: "active full awaitingRenewal", month + 1: "expired none unknown"]),
        StatusRow(
            "is not inferred from a gap of an hour", [bought(), renewed(month + 1)],
            at: [month: "active full awaitingRenewal", month + 1: "active full paid"]),
        StatusRow(
            "is not inferred from a gap of an hour before a later renewal",
            [bought(), renewed(month + 1), bought("3", 2 * month + 1, 3 * month) { $0.transactionReason = .renewal }],
            at: [month: "active full awaitingRenewal", month + 1: "active full paid"]),
        StatusRow(
            "is not inferred from a purchase after a gap", [bought(), renewed(month + 50, .purchase)],
            at: [month: "active full awaitingRenewal", month + 1: "expired none unknown"]),
        StatusRow(
            "is not inferred where auto-renew was off", [bought(), info(0, .off), renewed(month + 50)],
            at: [month: "expired none cancelled"]),
        StatusRow(
            "is inferred with auto-renew on", [bought(), info(), renewed(month + 50)],
            at: [month: "billingRetry none billingRetry"]),
    ]

    static let accessRules = [
        StatusRow(
            "gives own grace days, then limited access, both from the end of the period", [bought(), failed()],
            rules: .access { ($0.ownGraceDays, $0.limitedAccessDays) = (3, 2) },
            at: [
                month: "billingRetry full ownGrace", month + 3 * day - 1: "billingRetry full ownGrace",
                month + 3 * day: "billingRetry limited limitedAccess",
                month + 5 * day - 1: "billingRetry limited limitedAccess",
                month + 5 * day: "billingRetry none billingRetry",
            ]),
        StatusRow(
            "gives limited access alone", [bought(), failed()], rules: .access { $0.limitedAccessDays = 1 },
            at: [month: "billingRetry limited limitedAccess", month + day: "billingRetry none billingRetry"]),
        StatusRow(
            "gives what is left of own grace after Apple's", [bought(), failed(month, graceUntil: month + 2 * day)],
            rules: .access { $0.ownGraceDays = 3 },
            at: [
                month + 2 * day - 1: "gracePeriod full appleGrace", month + 2 * day: "billingRetry full ownGrace",
                month + 3 * day: "billingRetry none billingRetry",
            ]),
        StatusRow(
            "gives own grace in an inferred retry", [bought(), renewed(month + 50)],
            rules: .access { $0.ownGraceDays = 1 },
            at: [month + 23: "billingRetry full ownGrace", month + 24: "billingRetry none billingRetry"]),
        StatusRow(
            "gives no own grace outside retry", [bought(), info(0, .off)], rules: .access { $0.ownGraceDays = 3 },
            at: [month: "expired none cancelled"]),
    ]

    @Test(arguments: grace + signedGrace + retry + inferred + accessRules)
    func `follows its rule`(row: StatusRow) { row.check() }

    @Test func `says since when and until when`() {
        let observations = [bought(), failed(month, graceUntil: month + 10)]
        let rows = [1, month, month + 10, month + 60 * day].map { state(observations, at: hour($0)) }
        #expect(rows.map { $0?.billingIssueSince } == [nil, hour(month), hour(month), nil])
        #expect(rows.map { $0?.gracePeriodExpiresAt } == [nil, hour(month + 10), nil, nil])
    }
}
