import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `The period in force` {
    static let rows = [
        StatusRow(
            "covers [start, end)", [bought(), info(0, .off)],
            at: [
                -1: "not listed", 0: "active full paid", month - 1: "active full paid", month: "expired none cancelled",
            ]),
        StatusRow(
            "counts from its purchaseDate, whenever it was signed", [bought(signed: 500)],
            at: [-1: "not listed", 0: "active full paid"]),
        StatusRow(
            "ends at expiresDate as observed up to the instant",
            [bought(), info(0, .off), bought(signed: month + 10) { $0.expiresDate = hour(month + 20) }],
            at: [
                month - 1: "active full paid", month + 9: "expired none cancelled", month + 10: "active full paid",
                month + 20: "expired none cancelled",
            ]),
        StatusRow(
            "is the latest purchase alone, though its old one is never signed again",
            [bought(), info(), bought("2", 100, 100 + month) { $0.productId = "max" }],
            at: [99: "active full paid pro", 100: "active full paid max", month: "active full paid max"]),
        StatusRow(
            "never falls back to a longer earlier purchase",
            [
                bought("1", 0, 12 * month), bought("2", 100, 800) { $0.productId = "basic" },
                info(200, .off, renewalDate: 800) { $0.productId = "basic" },
            ],
            at: [799: "active full paid basic", 800: "expired none cancelled basic"]),
        StatusRow(
            "never falls back to an earlier purchase when the latest is refunded",
            [bought(), bought("2", 100, 800) { $0.revocation = refund(200) }],
            at: [150: "active full paid", 200: "revoked none refunded", 719: "revoked none refunded"]),
        StatusRow(
            "bridges the second by which a renewal may begin late",
            [
                bought(), info(0, .off),
                bought("2", 0, 2 * month) { $0.purchaseDate = hour(month).advanced(byMilliseconds: 1_000) },
            ],
            at: [month: "active full paid"]),
        StatusRow(
            "does not bridge more than a second",
            [
                bought(), info(0, .off),
                bought("2", 0, 2 * month) { $0.purchaseDate = hour(month).advanced(byMilliseconds: 1_001) },
            ],
            at: [month: "expired none cancelled"]),
        StatusRow(
            "of an unknown type with an end is a subscription's",
            [bought { $0.type = .init(rawValue: "Rental") }, info(0, .off)],
            at: [0: "active full paid", month: "expired none cancelled"]),
    ]

    static let replaced = [
        StatusRow(
            "is out of force from an unknown revocation with a successor on",
            [
                bought(signed: 90) { $0.revocation = refund(80, nil, reason: .init(rawValue: 7)) },
                bought("2", 100, 100 + month) { $0.productId = "max" },
            ],
            at: [79: "active full paid pro", 80: "expired none replaced pro", 100: "active full paid max"]),
        StatusRow(
            "marked isUpgraded without a successor lasts to its end, without leeway",
            [bought { $0.isUpgraded = true }, info()],
            at: [month - 1: "active full paid", month: "expired none unknown"]),
        StatusRow(
            "is revoked where the upgrade itself is refunded",
            [
                bought(signed: 100) { $0.isUpgraded = true },
                bought("2", 100, 100 + month) { $0.revocation = refund(200) },
            ],
            at: [199: "active full paid", 200: "revoked none refunded"]),
    ]

    static let oneTime = [
        StatusRow(
            "of a non-consumable has no end", [bought("1", 0, nil) { $0.type = .nonConsumable }],
            at: [0: "active full paid", 999_999: "active full paid"]),
        StatusRow(
            "of a refunded non-consumable is revoked",
            [bought("1", 0, nil) { ($0.type, $0.revocation) = (.nonConsumable, refund(100)) }],
            at: [99: "active full paid", 100: "revoked none refunded"]),
        StatusRow(
            "of a non-consumable bought again after a refund begins again",
            [
                bought("1", 0, nil) { ($0.type, $0.revocation) = (.nonConsumable, refund(100)) },
                bought("2", 200, nil) { $0.type = .nonConsumable },
            ], at: [199: "revoked none refunded", 200: "active full paid"]),
        StatusRow(
            "of a consumable is not listed", [bought("1", 0, nil) { $0.type = .consumable }], at: [0: "not listed"]),
        StatusRow(
            "of a non-renewing subscription is not listed", [bought("1", 0, nil) { $0.type = .nonRenewing }],
            at: [0: "not listed"]),
    ]

    static let implied = [
        StatusRow(
            "is implied by a renewal info of an unknown purchase", [bought(), info(month + 5, renewalDate: 2 * month)],
            at: [month + 1: "active full unknown", 2 * month - 1: "active full unknown"]),
        StatusRow(
            "is implied from the end on by one signed in the day before it",
            [bought(), info(), info(month - 5, renewalDate: 2 * month)],
            at: [month - 1: "active full paid", month: "active full unknown"]),
        StatusRow(
            "is implied until a signed status denies it, without leeway",
            [
                bought(), info(month + 5, renewalDate: 2 * month),
                notified(.expired, signed: month + 9, status: .expired),
            ],
            at: [month + 8: "active full unknown", month + 9: "expired none unknown"]),
        StatusRow(
            "is implied until the purchase it follows is revoked",
            [
                bought(), bought(signed: month + 9) { $0.revocation = refund(month + 8) },
                info(month + 5, renewalDate: 2 * month),
            ],
            at: [month + 7: "active full unknown", month + 8: "revoked none refunded"]),
    ]

    @Test(arguments: rows + replaced + oneTime + implied)
    func `follows its rule`(row: StatusRow) { row.check() }

    @Test func `of a migrated key is replaced, and the new key continues`() {
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
