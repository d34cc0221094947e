import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `The next step` {
    struct Row: Sendable {
        let observations: [Observation]
        let at: Int
        let nextStep: NextStep
    }

    static let winBack = info(0, .off) { $0.eligibleWinBackOfferIds = OfferIdentifiers.interned(["win", "back"]) }
    static let pending = info { $0.priceIncreaseStatus = .pending }

    static let rows = [
        Row(observations: [bought(), info()], at: 1, nextStep: .none),
        Row(observations: [bought(), info(0, .off)], at: 1, nextStep: .none),
        Row(observations: [bought(), info()], at: month, nextStep: .none),
        Row(observations: [bought(), failed(graceUntil: month + 9)], at: month, nextStep: .fixBilling),
        Row(observations: [bought(), failed()], at: month, nextStep: .fixBilling),
        Row(observations: [bought(), pending], at: 1, nextStep: .consentToPrice),
        Row(observations: [bought(), pending], at: month, nextStep: .resubscribe),
        Row(observations: [bought(), info { $0.priceIncreaseStatus = .accepted }], at: 1, nextStep: .none),
        Row(observations: [bought(), info(0, .off)], at: month, nextStep: .resubscribe),
        Row(observations: [bought(), winBack], at: 1, nextStep: .none),
        Row(observations: [bought(), winBack], at: month, nextStep: .offerWinBack),
        Row(observations: [bought { $0.revocation = refund(1) }], at: 1, nextStep: .resubscribe),
        Row(
            observations: [bought(), info { $0.expirationIntent = .productUnavailable }], at: month, nextStep: .none),
        Row(
            observations: [
                bought(),
                info {
                    ($0.expirationIntent, $0.eligibleWinBackOfferIds) = (
                        .productUnavailable, OfferIdentifiers.interned(["win"])
                    )
                },
            ], at: month, nextStep: .offerWinBack),
        Row(
            observations: [bought { $0.inAppOwnershipType = .familyShared }, info(0, .off)], at: month,
            nextStep: .none),
        Row(
            observations: [bought("1", 0, nil) { ($0.type, $0.revocation) = (.nonConsumable, refund(1)) }], at: 1,
            nextStep: .none),
        Row(
            observations: [
                bought { $0.revocation = refund(80, nil, reason: .init(rawValue: 7)) },
                bought("2", 100, 100 + month) { $0.productId = "max" },
            ], at: 90, nextStep: .none),
    ]

    @Test(arguments: rows)
    func `follows its rule`(row: Row) {
        #expect(state(row.observations, at: hour(row.at))?.nextStep == row.nextStep)
    }

    @Test func `names the win-back offers, best first, where it offers them`() {
        #expect(state([bought(), Self.winBack], at: hour(month))?.offerIds == ["win", "back"])
        #expect(state([bought(), Self.winBack], at: hour(1))?.offerIds == [])
    }

    @Test func `offers no win-back beside another active subscription of the account`() {
        func nextSteps(at: Int, account: AppleID?) -> [NextStep] {
            let (first, second) = (
                bought { $0.appTransactionId = "A" }, bought("2", 0, 2 * month) { $0.appTransactionId = account }
            )
            let lineages = Lineage.components(of: [
                key(): Timeline([first, Self.winBack]),
                key("2"): Timeline([second, info(0, .off, renewalDate: 2 * month)]),
            ])
            return lineages.states(at: hour(at), rules: Rules()).map(\.nextStep)
        }
        #expect(nextSteps(at: month, account: "A") == [.resubscribe, .none])
        #expect(nextSteps(at: month, account: "B") == [.offerWinBack, .none])
        #expect(nextSteps(at: 2 * month, account: "A") == [.offerWinBack, .resubscribe])
    }
}
