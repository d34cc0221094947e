import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `Access that is granted` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let observations: [Observation]
        let rules: Rules
        /// The hour at which access ends, as seen at each hour; nil if it never ends or there is none.
        let until: KeyValuePairs<Int, Int?>

        init(_ name: String, _ observations: [Observation], rules: Rules = Rules(), until: KeyValuePairs<Int, Int?>) {
            testDescription = name
            self.observations = observations
            self.rules = rules
            self.until = until
        }
    }

    static let charged = bought("2", month, 2 * month, signed: month - 10)
    static let unsettled = failed(month)

    static let rows = [
        Row("lasts to the end with auto-renew off", [bought(), info(0, .off)], until: [1: month, month: nil]),
        Row(
            "lasts through the leeway with auto-renew on", [bought(), info()], until: [1: month + 1, month: month + 1]),
        Row("lasts through the leeway where nothing is known", [bought()], until: [1: month + 1, month + 1: nil]),
        Row(
            "lasts to the end while consent to a higher price is missing",
            [bought(), info { $0.priceIncreaseStatus = .pending }], until: [1: month]),
        Row(
            "lasts to the end after isUpgraded without a successor", [bought { $0.isUpgraded = true }],
            until: [1: month]),
        Row(
            "lasts through a renewal from its charge on", [bought(), charged],
            until: [month - 11: month + 1, month - 10: 2 * month + 1, month: 2 * month + 1]),
        Row(
            "lasts through every renewal charged",
            [bought(), bought("2", month, 2 * month, signed: 0), bought("3", 2 * month, 3 * month, signed: 0)],
            until: [1: 3 * month + 1]),
        Row(
            "lasts to the end of a charged renewal whose own is off",
            [bought(), charged, info(month - 5, .off, renewalDate: 2 * month)],
            until: [month - 6: 2 * month + 1, month - 5: 2 * month]),
        Row(
            "lasts to the end where the charged renewal is refunded",
            [bought(), bought("2", month, 2 * month, signed: 0) { $0.revocation = refund(0) }], until: [1: month]),
        Row(
            "lasts to a refund that is dated ahead", [bought { $0.revocation = refund(300) }],
            until: [1: 300, 300: nil]),
        Row(
            "lasts through an extension from its signing on",
            [
                bought(), info(0, .off), bought(signed: 100) { $0.expiresDate = hour(month + 50) },
                info(101, .off, renewalDate: month + 50),
            ],
            until: [99: month, 101: month + 50]),
        Row(
            "lasts through Apple's grace", [bought(), failed(month, graceUntil: month + 100)],
            until: [month: month + 100]),
        Row("is none in retry", [bought(), failed()], until: [month: nil]),
        Row(
            "lasts through own grace and limited days", [bought(), failed()],
            rules: .access { ($0.ownGraceDays, $0.limitedAccessDays) = (3, 2) },
            until: [month: month + 5 * day, month + 4 * day: month + 5 * day, month + 5 * day: nil]),
        Row(
            "lasts through the longer of Apple's grace and the own",
            [bought(), failed(month, graceUntil: month + 2 * day)],
            rules: .access { $0.ownGraceDays = 3 }, until: [month: month + 3 * day]),
        Row(
            "lasts through the 28 days of a grace without a date",
            [
                bought(), unsettled,
                notified(.didFailToRenew, .gracePeriod, signed: month, status: .gracePeriod, renewalInfo: unsettled),
            ], until: [month: month + 28 * day]),
        Row("is none after a refund", [bought { $0.revocation = refund(1) }], until: [1: nil]),
        Row(
            "lasts to the end after a prorated refund that the rules keep",
            [bought { $0.revocation = refund(1, .refundProrated) }],
            rules: .access { $0.proratedRefund = .keepToExpiry }, until: [1: month]),
        Row(
            "to a non-consumable lasts to a refund that is dated ahead",
            [bought("1", 0, nil) { ($0.type, $0.revocation) = (.nonConsumable, refund(50)) }], until: [1: 50, 50: nil]),
        Row("to a non-consumable never ends", [bought("1", 0, nil) { $0.type = .nonConsumable }], until: [1: nil]),
        Row("lasts through an implied period and its leeway", [info(5, renewalDate: month)], until: [5: month + 1]),
    ]

    @Test(arguments: rows)
    func `ends where nothing further is heard`(row: Row) {
        for observations in [row.observations, row.observations.reversed()] {
            for (at, until) in row.until {
                #expect(state(observations, at: hour(at), rules: row.rules)?.accessUntil == until.map(hour), "at \(at)")
            }
        }
    }

    @Test func `outside Production lasts through a tenth of the period`() {
        #expect(
            state([`A renewal`.short], at: hour(0), .sandbox)?.accessUntil == hour(0).advanced(byMilliseconds: 660_000))
    }
}
