import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `The status` {
    /// What is known, and the status with its access and reason at some hours.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let observations: [Observation]
        let environment: Environment
        let rules: Rules
        let answers: [(at: Instant, answer: String)]

        init(
            _ name: String, _ observations: [Observation], in environment: Environment = .production,
            rules: Rules = Rules(), at answers: KeyValuePairs<Int, String>
        ) {
            self.init(name, observations, in: environment, rules: rules, atInstants: answers.map { (hour($0), $1) })
        }

        init(
            _ name: String, _ observations: [Observation], in environment: Environment = .production,
            rules: Rules = Rules(), atInstants answers: [(Instant, String)]
        ) {
            testDescription = name
            self.observations = observations
            self.environment = environment
            self.rules = rules
            self.answers = answers
        }
    }

    static func minutes(_ number: Int64, after start: Int) -> Instant {
        hour(start).advanced(byMilliseconds: number * 60_000 - 1)
    }

    static let active = [
        Row(
            "is active while a period covers the instant", [bought(), info()],
            at: [-1: "not listed", 0: "active full paid", month - 1: "active full paid"]),
        Row(
            "counts a purchase from its purchaseDate, whenever it was signed", [bought(signed: 500)],
            at: [-1: "not listed", 0: "active full paid"]),
        Row(
            "is active while a later purchase covers the instant",
            [bought(), bought("2", month, 2 * month)], at: [month: "active full paid"]),
        Row(
            "is active by an implied period", [bought(), info(month + 5, renewalDate: 2 * month)],
            at: [month + 1: "active full unknown", 2 * month - 1: "active full unknown"]),
        Row(
            "prefers a known period to an implied one of the same product",
            [bought(), info(month - 5, renewalDate: 2 * month)], at: [month - 1: "active full paid"]),
        Row(
            "ends at expiresDate as observed up to the instant",
            [bought(), info(0, .off), bought(signed: month + 10) { $0.expiresDate = hour(month + 20) }],
            at: [
                month - 1: "active full paid", month + 9: "expired none cancelled", month + 10: "active full paid",
                month + 20: "expired none cancelled",
            ]),
    ]

    static let leeway = [
        Row(
            "awaits a renewal for an hour", [bought(), info()],
            atInstants: [
                (hour(month), "active full awaitingRenewal"),
                (minutes(60, after: month), "active full awaitingRenewal"),
                (hour(month + 1), "expired none unknown"),
            ]),
        Row(
            "awaits it for five minutes outside Production", [bought(), info()], in: .sandbox,
            atInstants: [
                (minutes(5, after: month), "active full awaitingRenewal"),
                (minutes(5, after: month).advanced(byMilliseconds: 1), "expired none unknown"),
            ]),
        Row(
            "awaits it for as long as the rules say", [bought(), info()],
            rules: .access { $0.renewalLeewayMinutes = 120 },
            at: [month + 1: "active full awaitingRenewal", month + 2: "expired none unknown"]),
        Row(
            "awaits it for less than five minutes where the rules say so", [bought(), info()], in: .sandbox,
            rules: .access { $0.renewalLeewayMinutes = 1 },
            atInstants: [(minutes(2, after: month), "expired none unknown")]),
        Row("awaits nothing with auto-renew off", [bought(), info(0, .off)], at: [month: "expired none cancelled"]),
        Row("awaits nothing without renewal info", [bought()], at: [month: "expired none unknown"]),
        Row("awaits nothing after a failure", [bought(), failed()], at: [month: "billingRetry none billingRetry"]),
        Row(
            "awaits nothing after an expirationIntent", [bought(), info { $0.expirationIntent = .productUnavailable }],
            at: [month: "expired none productUnavailable"]),
        Row(
            "awaits nothing after a refund", [bought { $0.revocation = refund(100) }, info()],
            at: [month: "revoked none refunded"]),
        Row(
            "awaits the renewal of an implied period too", [info(0, renewalDate: month)],
            at: [month: "active full awaitingRenewal", month + 1: "expired none unknown"]),
    ]

    static let failures = [
        Row(
            "is in grace until gracePeriodExpiresDate, then in retry",
            [bought(), info(), failed(month, graceUntil: month + 16 * day)],
            at: [
                month: "gracePeriod full appleGrace", month + 16 * day - 1: "gracePeriod full appleGrace",
                month + 16 * day: "billingRetry none billingRetry",
            ]),
        Row(
            "is in retry for sixty days", [bought(), failed()],
            at: [
                month + 60 * day - 1: "billingRetry none billingRetry", month + 60 * day: "expired none billingFailed",
            ]),
        Row(
            "is in retry outside Production as last observed", [bought(), failed(), info(month + 90 * day, .off)],
            in: .sandbox,
            at: [
                month + 90 * day - 1: "billingRetry none billingRetry", month + 90 * day: "expired none cancelled",
            ]),
        Row(
            "is not in retry with auto-renew off", [bought(), failed(month, .off)],
            at: [month: "expired none billingFailed"]),
        Row(
            "is in retry where nothing says whether it renews",
            [bought(), info(month, nil) { $0.isInBillingRetryPeriod = true }],
            at: [month: "billingRetry none billingRetry"]),
        Row(
            "leaves retry with the next purchase", [bought(), failed(), bought("2", month + 100, 2 * month)],
            at: [month + 99: "billingRetry none billingRetry", month + 100: "active full paid"]),
        Row(
            "takes the first renewal info for what was before it", [bought(), failed(month + 10)],
            at: [1: "active full paid", month: "billingRetry none billingRetry"]),
    ]

    static let accessRules = [
        Row(
            "gives own grace days, then limited access, both from the end of the period", [bought(), failed()],
            rules: .access { ($0.ownGraceDays, $0.limitedAccessDays) = (3, 2) },
            at: [
                month: "billingRetry full ownGrace", month + 3 * day - 1: "billingRetry full ownGrace",
                month + 3 * day: "billingRetry limited limitedAccess",
                month + 5 * day - 1: "billingRetry limited limitedAccess",
                month + 5 * day: "billingRetry none billingRetry",
            ]),
        Row(
            "gives limited access alone", [bought(), failed()], rules: .access { $0.limitedAccessDays = 1 },
            at: [month: "billingRetry limited limitedAccess", month + day: "billingRetry none billingRetry"]),
        Row(
            "gives no own grace outside retry", [bought(), info(0, .off)], rules: .access { $0.ownGraceDays = 3 },
            at: [month: "expired none cancelled"]),
        Row(
            "ends access with a prorated refund", [bought { $0.revocation = refund(100, .refundProrated) }],
            at: [99: "active full paid", 100: "revoked none refunded"]),
        Row(
            "keeps access to the end after a prorated refund if the rules say so",
            [bought { $0.revocation = refund(100, .refundProrated) }],
            rules: .access { $0.proratedRefund = .keepToExpiry },
            at: [100: "revoked full refunded", month - 1: "revoked full refunded", month: "revoked none refunded"]),
        Row(
            "keeps nothing after a full refund", [bought { $0.revocation = refund(100, .refundFull) }],
            rules: .access { $0.proratedRefund = .keepToExpiry }, at: [100: "revoked none refunded"]),
    ]

    static let revoked = [
        Row(
            "is revoked from revocationDate until a later purchase",
            [bought { $0.revocation = refund(100) }, info(), bought("2", month + 500, 2 * month + 500)],
            at: [
                99: "active full paid", 100: "revoked none refunded", month + 499: "revoked none refunded",
                month + 500: "active full paid",
            ]),
        Row(
            "is not revoked by the refund of an older period",
            [bought { $0.revocation = refund(month + 100) }, bought("2", month, 2 * month)],
            at: [month + 100: "active full paid", 2 * month: "expired none unknown"]),
        Row(
            "is active by an older period that covers the instant too",
            [bought(), bought("2", 100, 800) { $0.revocation = refund(200) }],
            at: [150: "active full paid", 200: "active full paid", month: "revoked none refunded"]),
        Row(
            "comes back with a reversal",
            [bought(signed: 150) { $0.revocation = refund(100) }, bought(signed: 200), info(0, .off)],
            at: [
                150: "revoked none refunded", 200: "active full paid", month: "expired none cancelled",
            ]),
        Row(
            "is revoked before it is anything else",
            [bought { $0.revocation = refund(100) }, failed(50, graceUntil: 900)],
            at: [100: "revoked none refunded", 800: "revoked none refunded"]),
    ]

    static let replaced = [
        Row(
            "is never revoked by an upgrade",
            [
                bought(signed: 100) { $0.isUpgraded = true },
                bought("2", 100, 100 + month) { $0.productId = "max" },
            ],
            at: [99: "active full paid", 100: "active full paid", 100 + month: "expired none unknown"]),
        Row(
            "is the replaced period's until the next is known", [bought { $0.isUpgraded = true }],
            at: [month - 1: "active full paid", month: "expired none unknown"]),
        Row(
            "is revoked where the upgrade itself is refunded",
            [
                bought(signed: 100) { $0.isUpgraded = true },
                bought("2", 100, 100 + month) { $0.revocation = refund(200) },
            ],
            at: [200: "revoked none refunded"]),
    ]

    static let open = [
        Row(
            "is a signed status where no renewal info is known",
            [
                bought(), notified(.didFailToRenew, .gracePeriod, signed: month, status: .gracePeriod),
                notified(.gracePeriodExpired, signed: month + 100, status: .billingRetry),
                notified(.expired, .billingRetry, signed: month + 900, status: .expired),
            ],
            at: [
                month - 1: "active full paid", month: "gracePeriod full appleGrace",
                month + 100: "billingRetry none billingRetry", month + 900: "expired none unknown",
            ]),
        Row(
            "follows a signed failure for sixty days only",
            [bought(), notified(.didFailToRenew, signed: month, status: .billingRetry)],
            at: [month + 60 * day - 1: "billingRetry none billingRetry", month + 60 * day: "expired none unknown"]),
        Row(
            "follows a signed revocation", [bought(), notified(.revoke, signed: month + 1, status: .revoked)],
            at: [month: "expired none unknown", month + 1: "revoked none unknown", 9 * month: "revoked none unknown"]),
        Row(
            "is not one signed before the newest period ended",
            [bought(), notified(.revoke, signed: month - 1, status: .revoked)], at: [month: "expired none unknown"]),
        Row(
            "is not the signed one while a period covers the instant",
            [bought(), notified(.expired, signed: 100, status: .expired)], at: [100: "active full paid"]),
        Row(
            "is not the signed one where renewal info decides",
            [bought(), info(0, .off), notified(.didFailToRenew, signed: month, status: .billingRetry)],
            at: [month: "expired none cancelled"]),
        Row(
            "ends an implied period with a signed status",
            [
                bought(), info(month + 5, renewalDate: 2 * month),
                notified(.revoke, signed: month + 9, status: .revoked),
            ],
            at: [month + 8: "active full unknown", month + 9: "revoked none unknown"]),
    ]

    static let others = [
        Row(
            "of a non-consumable is active without end",
            [bought("1", 0, nil) { $0.type = .nonConsumable }],
            at: [0: "active full paid", 999_999: "active full paid"]),
        Row(
            "of a refunded non-consumable is revoked",
            [
                bought("1", 0, nil) {
                    $0.type = .nonConsumable
                    $0.revocation = refund(100)
                }
            ], at: [99: "active full paid", 100: "revoked none refunded"]),
        Row(
            "of a consumable is not listed", [bought("1", 0, nil) { $0.type = .consumable }], at: [0: "not listed"]),
        Row(
            "of a non-renewing subscription is not listed", [bought("1", 0, nil) { $0.type = .nonRenewing }],
            at: [0: "not listed"]),
        Row(
            "of an unknown type with an end is that of a subscription",
            [bought { $0.type = .init(rawValue: "Rental") }],
            at: [0: "active full paid", month: "expired none unknown"]),
    ]

    @Test(arguments: active + leeway + failures + accessRules + revoked + replaced + open + others)
    func `follows its rule`(row: Row) {
        for observations in [row.observations, row.observations.reversed()] {
            for (t, expected) in row.answers {
                let state = state(observations, at: t, row.environment, rules: row.rules)
                let answer = state.map { "\($0.status) \($0.access) \($0.reason)" } ?? "not listed"
                #expect(answer == expected, "at \(t)")
                #expect(state?.entitled == state.map { $0.access != .none })
            }
        }
    }

    @Test func `of a migrated key is replaced, and the new key goes on`() {
        let migrated = bought("9", 100, 100 + month) { $0.previousOriginalTransactionId = "1" }
        let lineages = Lineage.components(of: [key(): Timeline([bought(), info()]), key("9"): Timeline([migrated])])
        let answers = [99, 100].map { at in
            lineages.states(at: hour(at), rules: Rules()).map {
                "\($0.key.originalTransactionId) \($0.status) \($0.reason) \($0.nextStep)"
            }
        }
        #expect(answers == [["1 active paid none"], ["1 expired replaced none", "9 active paid none"]])
    }
}
