import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `A renewal` {
    /// A period of ten minutes, which a week may last in the sandbox. A tenth of it is one minute.
    static let short = bought("1", 0, nil) { $0.expiresDate = hour(0).advanced(byMilliseconds: 600_000) }

    static func shortly(_ milliseconds: Int64) -> Instant { hour(0).advanced(byMilliseconds: milliseconds) }

    static let awaited = [
        StatusRow(
            "is awaited for an hour", [bought(), info()],
            atInstants: [
                (hour(month), "active full awaitingRenewal"),
                (minutes(60, after: month), "active full awaitingRenewal"), (hour(month + 1), "expired none unknown"),
            ]),
        StatusRow(
            "is awaited where nothing says whether it comes", [bought()],
            at: [month: "active full awaitingRenewal", month + 1: "expired none unknown"]),
        StatusRow(
            "is awaited for five minutes outside Production", [bought(), info()], in: .sandbox,
            atInstants: [
                (minutes(5, after: month), "active full awaitingRenewal"),
                (minutes(5, after: month).advanced(byMilliseconds: 1), "expired none unknown"),
            ]),
        StatusRow(
            "is awaited for a tenth of the period outside Production, if that is less", [short], in: .sandbox,
            atInstants: [
                (shortly(600_000), "active full awaitingRenewal"), (shortly(659_999), "active full awaitingRenewal"),
                (shortly(660_000), "expired none unknown"),
            ]),
        StatusRow(
            "is awaited for an hour in Production however short the period", [short],
            atInstants: [
                (shortly(660_000), "active full awaitingRenewal"), (shortly(4_199_999), "active full awaitingRenewal"),
                (shortly(4_200_000), "expired none unknown"),
            ]),
        StatusRow(
            "is awaited for as long as the rules say", [bought(), info()],
            rules: .access { $0.renewalLeewayMinutes = 120 },
            at: [month + 1: "active full awaitingRenewal", month + 2: "expired none unknown"]),
        StatusRow(
            "is awaited for less than five minutes where the rules say so", [bought(), info()], in: .sandbox,
            rules: .access { $0.renewalLeewayMinutes = 1 },
            atInstants: [(minutes(2, after: month), "expired none unknown")]),
        StatusRow(
            "is not awaited at all where the rules say so", [bought(), info()],
            rules: .access { $0.renewalLeewayMinutes = 0 }, at: [month: "expired none unknown"]),
        StatusRow(
            "is awaited after an implied period too", [info(0, renewalDate: month)],
            at: [
                month - 1: "active full unknown", month: "active full awaitingRenewal",
                month + 1: "expired none unknown",
            ]),
        StatusRow(
            "is awaited after the consent to a higher price", [bought(), info { $0.priceIncreaseStatus = .accepted }],
            at: [month: "active full awaitingRenewal"]),
        StatusRow(
            "is awaited whatever an older period's status was",
            [
                bought(), info(month - 50), bought("2", month, 2 * month), info(month, renewalDate: 2 * month),
                notified(.expired, signed: month - 50, status: .expired, renewalInfo: info(month - 50)),
            ],
            at: [2 * month: "active full awaitingRenewal"]),
    ]

    static let notAwaited = [
        StatusRow(
            "is not awaited with auto-renew off", [bought(), info(0, .off)], at: [month: "expired none cancelled"]),
        StatusRow(
            "is not awaited where auto-renew was off, as is known later", [bought(), info(), info(month + 5, .off)],
            at: [month - 1: "active full paid", month: "expired none cancelled"]),
        StatusRow(
            "is not awaited after a failure", [bought(), failed()], at: [month: "billingRetry none billingRetry"]),
        StatusRow(
            "is not awaited after an expirationIntent", [bought(), info { $0.expirationIntent = .productUnavailable }],
            at: [month: "expired none productUnavailable"]),
        StatusRow(
            "is not awaited without the consent it needs", [bought(), info { $0.priceIncreaseStatus = .pending }],
            at: [month - 1: "active full paid", month: "expired none unknown"]),
        StatusRow(
            "is not awaited after a refund", [bought { $0.revocation = refund(100) }, info()],
            at: [month: "revoked none refunded"]),
        StatusRow(
            "is not awaited after a signed status 2",
            [bought(), info(month), notified(.expired, signed: month, status: .expired, renewalInfo: info(month))],
            at: [month - 1: "active full paid", month: "expired none unknown"]),
        StatusRow(
            "is not awaited after a signed status 3",
            [
                bought(), info(month),
                notified(.didFailToRenew, signed: month, status: .billingRetry, renewalInfo: info(month)),
            ],
            at: [month: "expired none unknown"]),
        StatusRow(
            "is awaited after a signed status 1",
            [bought(), info(month), notified(.didRenew, signed: month, status: .active, renewalInfo: info(month))],
            at: [month: "active full awaitingRenewal"]),
        StatusRow(
            "is awaited after a status of another purchase",
            [bought(), info(), notified(.expired, signed: month, status: .expired)],
            at: [month: "active full awaitingRenewal"]),
    ]

    @Test(arguments: awaited + notAwaited)
    func `follows its rule`(row: StatusRow) { row.check() }
}
