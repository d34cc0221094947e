import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `A revoked purchase` {
    static let prorated = bought { $0.revocation = refund(100, .refundProrated) }

    static let rows = [
        StatusRow(
            "is revoked from revocationDate until a later purchase",
            [bought { $0.revocation = refund(100) }, info(), bought("2", month + 500, 2 * month + 500)],
            at: [
                99: "active full paid", 100: "revoked none refunded", month + 499: "revoked none refunded",
                month + 500: "active full paid",
            ]),
        StatusRow(
            "does not revoke the next one",
            [bought { $0.revocation = refund(month + 100) }, bought("2", month, 2 * month)],
            at: [month + 100: "active full paid", 2 * month: "active full awaitingRenewal"]),
        StatusRow(
            "comes back with a reversal",
            [bought(signed: 150) { $0.revocation = refund(100) }, bought(signed: 200), info(0, .off)],
            at: [
                99: "active full paid", 150: "revoked none refunded", 200: "active full paid",
                month: "expired none cancelled",
            ]),
        StatusRow(
            "is not given back by a reversal signed before its refund",
            [
                bought(signed: 50), notified(.refundReversed, signed: 50, transaction: bought(signed: 50)),
                bought(signed: 150) { $0.revocation = refund(100) },
            ],
            at: [99: "active full paid", 150: "revoked none refunded"]),
        StatusRow(
            "for a reason or of a kind that is not known is revoked too",
            [bought { $0.revocation = refund(100, .init(rawValue: "SEAT"), reason: .init(rawValue: 9)) }],
            at: [99: "active full paid", 100: "revoked none other"]),
        StatusRow(
            "by a signed status 5 alone is revoked from its signing",
            [
                bought(), bought(signed: 200),
                notified(.revoke, signed: 200, status: .revoked, transaction: bought(signed: 200)),
            ],
            at: [199: "active full paid", 200: "revoked none other", month + 9: "revoked none other"]),
        StatusRow(
            "is not one by a signed status 5 about another",
            [
                bought(), bought("2", month, 2 * month),
                notified(.revoke, signed: month + 1, status: .revoked, transaction: bought()),
            ],
            at: [month + 1: "active full paid"]),
    ]

    static let proratedRows = [
        StatusRow(
            "ends with a prorated refund", [prorated], at: [99: "active full paid", 100: "revoked none refunded"]),
        StatusRow(
            "keeps access to the end after a prorated refund if the rules say so", [prorated],
            rules: .access { $0.proratedRefund = .keepToExpiry },
            at: [100: "revoked full refunded", month - 1: "revoked full refunded", month: "revoked none refunded"]),
        StatusRow(
            "keeps nothing after a full refund", [bought { $0.revocation = refund(100, .refundFull) }],
            rules: .access { $0.proratedRefund = .keepToExpiry }, at: [100: "revoked none refunded"]),
    ]

    @Test(arguments: rows + proratedRows)
    func `follows its rule`(row: StatusRow) { row.check() }

    @Test func `says when`() {
        let observations = [bought(signed: 100) { $0.revocation = refund(50) }]
        #expect([49, 50, 900].map { state(observations, at: hour($0))?.revokedAt } == [nil, hour(50), hour(50)])
        let signed = [
            bought(), bought(signed: 60),
            notified(.revoke, signed: 60, status: .revoked, transaction: bought(signed: 60)),
        ]
        #expect(state(signed, at: hour(70))?.revokedAt == hour(60))
    }
}
