import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `An explanation` {
    struct Row: Sendable {
        let observations: [Observation]
        var at = 1
        let decision: String
        let sentence: String
    }

    static func paid(_ change: (inout TransactionFact) -> Void = { _ in }) -> Observation {
        bought("410000000000005") {
            $0.price = .init(price: 9_990, currency: "USD")
            change(&$0)
        }
    }

    static let unsettled = failed(month)

    static let rows = [
        Row(
            observations: [paid()], decision: "periodCovers",
            sentence: "Paid until 31 January 1970, pro, transaction 4100…05, 9.99 USD."),
        Row(
            observations: [bought { $0.price = .init(price: 12_000, currency: nil) }], decision: "periodCovers",
            sentence: "Paid until 31 January 1970, pro, transaction 1, 12."),
        Row(
            observations: [
                bought { ($0.price, $0.offer) = (.init(price: 0, currency: "EUR"), offer(.introductory, .freeTrial)) }
            ],
            decision: "periodCovers", sentence: "Free trial until 31 January 1970, pro, transaction 1, 0 EUR."),
        Row(
            observations: [bought { $0.inAppOwnershipType = .familyShared }], decision: "periodCovers",
            sentence: "Shared through Family Sharing until 31 January 1970, pro, transaction 1."),
        Row(
            observations: [bought("1", 0, nil) { $0.type = .nonConsumable }], decision: "periodCovers",
            sentence: "Bought on 1 January 1970, pro, transaction 1."),
        Row(
            observations: [info(0, renewalDate: month)], decision: "impliedPeriodCovers",
            sentence: "Entitled to pro until 31 January 1970: Apple signed renewal information for a purchase "
                + "whose transaction has not been received."),
        Row(
            observations: [bought(), info()], at: month, decision: "renewalAwaited",
            sentence:
                "The period of pro ended on 31 January 1970; the renewal is expected by 31 January 1970, 01:00 UTC."),
        Row(
            observations: [bought(), failed(graceUntil: month + 48)], at: month, decision: "gracePeriod",
            sentence:
                "The renewal of pro on 31 January 1970 failed; Apple's billing grace period lasts until 2 February 1970."
        ),
        Row(
            observations: [
                bought(), unsettled,
                notified(.didFailToRenew, signed: month, status: .gracePeriod, renewalInfo: unsettled),
            ], at: month, decision: "signedGracePeriod",
            sentence: "The renewal of pro on 31 January 1970 failed; Apple signed a grace period without a date, "
                + "which ends on 28 February 1970 at the latest."),
        Row(
            observations: [bought(), failed()], at: month, decision: "billingRetry",
            sentence: "The renewal of pro on 31 January 1970 failed; Apple retries the charge until 1 April 1970."),
        Row(
            observations: [bought(), bought("2", month + 48, 2 * month) { $0.transactionReason = .renewal }], at: month,
            decision: "inferredBillingRetry",
            sentence: "The period of pro ended on 31 January 1970 and was renewed on 2 February 1970: "
                + "Apple retried the charge in between."),
        Row(
            observations: [paid { $0.revocation = refund(24) }], at: 24, decision: "revoked",
            sentence: "Refunded on 2 January 1970, pro, transaction 4100…05, 9.99 USD."),
        Row(
            observations: [bought(), info(0, .off)], at: month, decision: "periodEnded",
            sentence: "pro expired on 31 January 1970: auto-renew was off."),
        Row(
            observations: [bought(), info { $0.expirationIntent = .priceNotAccepted }], at: month,
            decision: "periodEnded",
            sentence: "pro expired on 31 January 1970: the customer did not consent to the price increase."),
    ]

    @Test(arguments: rows)
    func `names the decision with its dates, its purchase and its price`(row: Row) {
        let last = history(row.observations, until: hour(row.at)).last
        #expect(last?.to.decision.name == row.decision)
        #expect(last?.explanation == row.sentence)
    }

    @Test func `names the access that the rules give in billing retry`() {
        let rules = Rules.access { ($0.ownGraceDays, $0.limitedAccessDays) = (3, 2) }
        func sentence(_ hours: Int) -> String? {
            history([bought(), failed()], until: hour(month + hours), rules: rules).last?.explanation
        }
        let failure = "The renewal of pro on 31 January 1970 failed; Apple retries the charge until 1 April 1970."
        #expect(sentence(1) == failure + " The rules grant 3 days of grace.")
        #expect(sentence(3 * day) == failure + " The rules grant limited access for 2 days.")
        #expect(sentence(5 * day) == failure)
    }

    @Test(arguments: [(9_990, "9.99"), (9_900, "9.90"), (500, "0.50"), (5, "0.005"), (-9_990, "-9.99"), (12_000, "12")])
    func `writes milliunits as a decimal number`(price: Int64, text: String) {
        let last = history([bought { $0.price = .init(price: price, currency: "EUR") }], until: hour(1)).last
        #expect(last?.explanation == "Paid until 31 January 1970, pro, transaction 1, \(text) EUR.")
    }

    static func increase(_ fact: inout RenewalFact, _ status: PriceIncreaseStatus) {
        fact.priceIncreaseStatus = status
        fact.renewalPrice = .init(price: 12_990, currency: "USD")
    }

    @Test(
        arguments: [
            (.pending, "the customer has not consented yet"),
            (.accepted, "the customer consented, or need not consent"),
        ] as [(PriceIncreaseStatus, String)])
    func `names the old and the new price of an increase`(status: PriceIncreaseStatus, consent: String) {
        func sentence(_ purchase: Observation, _ change: @escaping (inout RenewalFact) -> Void) -> String? {
            history([purchase, info(), info(24, .on, renewalDate: month, position: 0, change)], until: hour(48)).last?
                .explanation
        }
        let paid = "Paid until 31 January 1970, pro, transaction 4100…05, 9.99 USD."
        #expect(
            sentence(Self.paid()) { Self.increase(&$0, status) }
                == "\(paid) The next renewal costs 12.99 USD instead of 9.99 USD: \(consent).")
        #expect(
            sentence(Self.paid()) { $0.priceIncreaseStatus = status }
                == "\(paid) The price of the next renewal is higher: \(consent).")
        // The free trial is not the price that rises.
        let trial = Self.paid {
            ($0.price, $0.offer) = (.init(price: 0, currency: "USD"), offer(.introductory, .freeTrial))
        }
        #expect(
            sentence(trial) { Self.increase(&$0, status) }
                == "Free trial until 31 January 1970, pro, transaction 4100…05, 0 USD. "
                + "The next renewal costs 12.99 USD: \(consent).")
    }

    @Test func `names a price increase only when it is stated`() {
        let rows = history(
            [
                Self.paid(), info(), info(24) { Self.increase(&$0, .pending) },
                info(30, .off) { Self.increase(&$0, .pending) },
            ],
            until: hour(48))
        #expect(rows.map { $0.explanation.contains("12.99") } == [false, true, false])
    }

    @Test func `gives times for a period shorter than two days`() {
        let purchase = bought("1", 0, 47)
        let rows = history([purchase, info(renewalDate: 47)], until: hour(49))
        #expect(
            rows.map(\.explanation) == [
                "Paid until 2 January 1970, 23:00:00 UTC, pro, transaction 1.",
                "The period of pro ended on 2 January 1970, 23:00:00 UTC; the renewal is expected by "
                    + "3 January 1970, 00:00:00 UTC.",
                "pro expired on 2 January 1970, 23:00:00 UTC: no renewal is known.",
            ])
        let long = history([bought("1", 0, 48)], until: hour(1)).map(\.explanation)
        #expect(long == ["Paid until 3 January 1970, pro, transaction 1."])
    }
}
