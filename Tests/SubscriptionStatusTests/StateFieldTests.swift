import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

@Suite struct `The fields of a state` {
    struct ReasonRow: Sendable {
        let observation: Observation
        let reason: Reason
    }

    static let activeReasons = [
        ReasonRow(observation: bought(), reason: .paid),
        ReasonRow(observation: bought { $0.offer = offer(.introductory, .freeTrial) }, reason: .freeTrial),
        ReasonRow(observation: bought { $0.offer = offer(.introductory, .payAsYouGo) }, reason: .introOffer),
        ReasonRow(observation: bought { $0.offer = offer(.introductory) }, reason: .introOffer),
        ReasonRow(
            observation: bought { ($0.offer, $0.price) = (offer(.introductory), .init(price: 0, currency: "EUR")) },
            reason: .freeTrial),
        ReasonRow(observation: bought { $0.offer = offer(.promotional, .freeTrial) }, reason: .promotionalOffer),
        ReasonRow(observation: bought { $0.offer = offer(.offerCode) }, reason: .offerCode),
        ReasonRow(observation: bought { $0.offer = offer(.winBack) }, reason: .winBack),
        ReasonRow(observation: bought { $0.offer = offer(.init(rawValue: 9)) }, reason: .other),
        ReasonRow(
            observation: bought { ($0.inAppOwnershipType, $0.offer) = (.familyShared, offer(.introductory)) },
            reason: .familyShared),
    ]

    @Test(arguments: activeReasons)
    func `name the reason of an active period`(row: ReasonRow) {
        #expect(state([row.observation], at: hour(1))?.reason == row.reason)
    }

    static let revokedReasons = [
        ReasonRow(observation: bought { $0.revocation = refund(1, .refundFull) }, reason: .refunded),
        ReasonRow(observation: bought { $0.revocation = refund(1, .refundProrated) }, reason: .refunded),
        ReasonRow(observation: bought { $0.revocation = refund(1, nil) }, reason: .refunded),
        ReasonRow(observation: bought { $0.revocation = refund(1, .familyRevoke) }, reason: .familyRevoked),
        ReasonRow(
            observation: bought { ($0.inAppOwnershipType, $0.revocation) = (.familyShared, refund(1, nil)) },
            reason: .familyRevoked),
        ReasonRow(observation: bought { $0.revocation = refund(1, .init(rawValue: "SEAT")) }, reason: .other),
    ]

    @Test(arguments: revokedReasons)
    func `name the reason of a revocation`(row: ReasonRow) {
        #expect(state([row.observation], at: hour(1))?.reason == row.reason)
    }

    static let expiredReasons = [
        ReasonRow(observation: info(0, .off), reason: .cancelled),
        ReasonRow(observation: info(0, .off) { $0.expirationIntent = .cancelled }, reason: .cancelled),
        ReasonRow(observation: info(0, .off) { $0.expirationIntent = .billingError }, reason: .billingFailed),
        ReasonRow(observation: info { $0.expirationIntent = .priceNotAccepted }, reason: .priceNotAccepted),
        ReasonRow(observation: info { $0.expirationIntent = .productUnavailable }, reason: .productUnavailable),
        ReasonRow(observation: info { $0.expirationIntent = .other }, reason: .other),
        ReasonRow(observation: info { $0.expirationIntent = .init(rawValue: 9) }, reason: .other),
        ReasonRow(observation: info(), reason: .unknown),
    ]

    @Test(arguments: expiredReasons)
    func `name the reason of an expiry`(row: ReasonRow) {
        #expect(state([bought(), row.observation], at: hour(9 * month))?.reason == row.reason)
    }

    struct WillRenewRow: Sendable {
        let observations: [Observation]
        let at: Int
        let willRenew: Bool?
    }

    static let willRenewRows = [
        WillRenewRow(observations: [bought(), info()], at: 1, willRenew: true),
        WillRenewRow(observations: [bought(), info(0, .off)], at: 1, willRenew: false),
        WillRenewRow(observations: [bought()], at: 1, willRenew: nil),
        WillRenewRow(observations: [bought(), info(0, nil)], at: 1, willRenew: nil),
        WillRenewRow(observations: [bought(), info(), info(10, .off)], at: 9, willRenew: true),
        WillRenewRow(observations: [bought(), info(), info(10, .off)], at: 10, willRenew: false),
        WillRenewRow(observations: [bought(), info()], at: month, willRenew: true),
        WillRenewRow(observations: [bought(), info()], at: month + 1, willRenew: false),
        WillRenewRow(observations: [bought(), failed()], at: month, willRenew: true),
        WillRenewRow(observations: [bought(), failed(graceUntil: month + 9)], at: month, willRenew: true),
        WillRenewRow(observations: [bought { $0.revocation = refund(1) }, info()], at: 1, willRenew: false),
        WillRenewRow(observations: [bought { $0.revocation = refund(1) }], at: 1, willRenew: nil),
        WillRenewRow(observations: [bought("1", 0, nil) { $0.type = .nonConsumable }], at: 1, willRenew: false),
        WillRenewRow(
            observations: [bought(), info { $0.commitment = committed(.off) }], at: 1, willRenew: true),
        WillRenewRow(
            observations: [bought(), info(0, .off) { $0.commitment = committed(.on) }], at: 1, willRenew: false),
    ]

    @Test(arguments: willRenewRows)
    func `say whether it will renew`(row: WillRenewRow) {
        #expect(state(row.observations, at: hour(row.at))?.willRenew == row.willRenew)
    }

    @Test func `await the next month of a commitment that itself will not renew`() {
        let observations = [bought(), info { $0.commitment = committed(.off) }]
        #expect(state(observations, at: hour(month))?.reason == .awaitingRenewal)
    }

    @Test func `name the pending product only if it is another and will come`() {
        func pending(_ status: AutoRenewStatus, _ product: String?) -> String? {
            state([bought(), info(0, status) { $0.autoRenewProductId = product }], at: hour(1))?.pendingProductId
        }
        #expect(pending(.on, "basic") == "basic")
        #expect(pending(.on, "pro") == nil)
        #expect(pending(.on, nil) == nil)
        #expect(pending(.off, "basic") == nil)
    }

    struct ExpiresRow: Sendable {
        let observations: [Observation]
        let at: Int
        let expiresAt: Int?
    }

    static let early = bought("2", month, 2 * month, signed: month - 10)
    static let expiresRows = [
        ExpiresRow(observations: [bought()], at: 1, expiresAt: month),
        // A renewal counts once it is signed, or has begun.
        ExpiresRow(observations: [bought(), early], at: month - 11, expiresAt: month),
        ExpiresRow(observations: [bought(), early], at: month - 10, expiresAt: 2 * month),
        ExpiresRow(
            observations: [bought(), bought("2", month, 2 * month, signed: 9 * month)], at: month, expiresAt: 2 * month),
        // A gap, a revoked link and a replaced link break the chain.
        ExpiresRow(observations: [bought(), bought("2", month + 1, 2 * month, signed: 0)], at: 1, expiresAt: month),
        ExpiresRow(
            observations: [bought(), bought("2", month, 2 * month, signed: 0) { $0.revocation = refund(0) }], at: 1,
            expiresAt: month),
        ExpiresRow(
            observations: [bought(), bought("2", month, 2 * month, signed: 0) { $0.revocation = refund(2) }], at: 1,
            expiresAt: 2 * month),
        ExpiresRow(
            observations: [
                bought(), bought("2", month, 2 * month, signed: 0), bought("3", 2 * month, 3 * month, signed: 0),
            ], at: 1, expiresAt: 3 * month),
        ExpiresRow(
            observations: [bought(), info(month + 5, renewalDate: 2 * month)], at: month + 5, expiresAt: 2 * month),
        // Without a covering period: the end of the newest.
        ExpiresRow(observations: [bought(), info()], at: month, expiresAt: month),
        ExpiresRow(observations: [bought(), info(0, .off)], at: 9 * month, expiresAt: month),
        ExpiresRow(observations: [bought { $0.revocation = refund(1) }], at: 1, expiresAt: month),
        ExpiresRow(observations: [bought("1", 0, nil) { $0.type = .nonConsumable }], at: 1, expiresAt: nil),
    ]

    @Test(arguments: expiresRows)
    func `say when it expires`(row: ExpiresRow) {
        #expect(state(row.observations, at: hour(row.at))?.expiresAt == row.expiresAt.map(hour))
    }

    @Test func `tolerate a second between the links of the chain`() {
        func expiresAt(gap milliseconds: Int64) -> Instant? {
            let next = bought("2", month, 2 * month, signed: 0) {
                $0.purchaseDate = hour(month).advanced(byMilliseconds: milliseconds)
            }
            return state([bought(), next], at: hour(1))?.expiresAt
        }
        #expect(expiresAt(gap: 1_000) == hour(2 * month))
        #expect(expiresAt(gap: 1_001) == hour(month))
    }

    @Test func `give gracePeriodExpiresAt in grace and revokedAt in revocation only`() {
        let grace = [bought(), failed(month, graceUntil: month + 10)]
        #expect(state(grace, at: hour(1))?.gracePeriodExpiresAt == nil)
        #expect(state(grace, at: hour(month))?.gracePeriodExpiresAt == hour(month + 10))
        #expect(state(grace, at: hour(month + 10))?.gracePeriodExpiresAt == nil)
        let refunded = [bought(signed: 100) { $0.revocation = refund(50) }]
        #expect(state(refunded, at: hour(49))?.revokedAt == nil)
        #expect(state(refunded, at: hour(50))?.revokedAt == hour(50))
        let signed = [bought(), notified(.revoke, signed: month + 1, status: .revoked)]
        #expect(state(signed, at: hour(month + 9))?.revokedAt == hour(month + 1))
    }

    @Test func `give product, purchase and ownership of the covering period, else of the newest`() {
        let observations = [
            bought { $0.inAppOwnershipType = .familyShared },
            bought("2", month + 10, 2 * month) { $0.productId = "basic" },
        ]
        let rows = [5, month + 5, month + 15, 3 * month].map { state(observations, at: hour($0)) }
        #expect(rows.map { $0?.productId } == ["pro", "pro", "basic", "basic"])
        #expect(rows.map { $0?.purchasedAt } == [hour(0), hour(0), hour(month + 10), hour(month + 10)])
        #expect(rows.map { $0?.ownership } == [.familyShared, .familyShared, .purchased, .purchased])
        #expect(rows.map { $0?.transactionId } == ["1", "1", "2", "2"])
    }

    @Test func `give an implied upgrade before the period it replaces`() {
        let observations = [bought(), info(100, renewalDate: 100 + month) { $0.productId = "max" }]
        let states = [99, 100].map { state(observations, at: hour($0)) }
        #expect(states.map { $0?.productId } == ["pro", "max"])
        #expect(states.map { $0?.transactionId } == ["1", nil])
        #expect(states.map { $0?.rule.name } == ["periodCovers", "impliedPeriodCovers"])
    }

    @Test func `say how a price increase stands while it can still be answered`() {
        func increase(_ status: PriceIncreaseStatus?, at: Int) -> PriceIncrease? {
            state([bought(), info { $0.priceIncreaseStatus = status }], at: hour(at))?.priceIncrease
        }
        #expect(increase(nil, at: 1) == nil)
        #expect(increase(.pending, at: 1) == .pending)
        #expect(increase(.accepted, at: 1) == .accepted)
        #expect(increase(.init(rawValue: 9), at: 1) == nil)
        #expect(increase(.pending, at: 9 * month) == nil)
    }

    struct NextStepRow: Sendable {
        let observations: [Observation]
        let at: Int
        let nextStep: NextStep
    }

    static let nextStepRows = [
        NextStepRow(observations: [bought(), info()], at: 1, nextStep: .none),
        NextStepRow(observations: [bought(), info(0, .off)], at: 1, nextStep: .none),
        NextStepRow(observations: [bought(), failed(graceUntil: month + 9)], at: month, nextStep: .fixBilling),
        NextStepRow(observations: [bought(), failed()], at: month, nextStep: .fixBilling),
        NextStepRow(
            observations: [bought(), info { $0.priceIncreaseStatus = .pending }], at: 1, nextStep: .consentToPrice),
        NextStepRow(observations: [bought(), info { $0.priceIncreaseStatus = .accepted }], at: 1, nextStep: .none),
        NextStepRow(
            observations: [
                bought(), info { ($0.priceIncreaseStatus, $0.expirationIntent) = (.pending, .priceNotAccepted) },
            ], at: month, nextStep: .resubscribe),
        NextStepRow(observations: [bought(), info(0, .off)], at: month, nextStep: .resubscribe),
        NextStepRow(
            observations: [bought(), info(0, .off) { $0.eligibleWinBackOfferIds = ["win"] }], at: month,
            nextStep: .offerWinBack),
        NextStepRow(
            observations: [bought(), info(0, .off) { $0.eligibleWinBackOfferIds = ["win"] }], at: 1, nextStep: .none),
        NextStepRow(observations: [bought { $0.revocation = refund(1) }], at: 1, nextStep: .resubscribe),
        NextStepRow(
            observations: [
                bought("1", 0, nil) { ($0.type, $0.revocation) = (.nonConsumable, refund(1)) }
            ], at: 1, nextStep: .none),
    ]

    @Test(arguments: nextStepRows)
    func `name the next step`(row: NextStepRow) {
        #expect(state(row.observations, at: hour(row.at))?.nextStep == row.nextStep)
    }

    @Test func `send those with a billing problem to Apple`() {
        #expect(NextStep.fixBilling.url == "https://apps.apple.com/account/billing")
        #expect(NextStep.allCases.filter { $0 != .fixBilling }.allSatisfy { $0.url == nil })
    }

    @Test func `carry the positions they rest on, each once`() {
        let observations = [
            bought(position: 4), bought(signed: 20, position: 6) { $0.expiresDate = hour(month + 5) },
            info(position: 4), info(30, .off, position: 2), info(40, position: 9),
            notified(.didRenew, signed: 50, position: 8),
        ]
        #expect(state(observations, at: hour(1))?.evidence == [4])
        #expect(state(observations, at: hour(20))?.evidence == [4, 6])
        #expect(state(observations, at: hour(30))?.evidence == [2, 4, 6])
        let refunded = [bought(position: 1), bought(signed: 9, position: 5) { $0.revocation = refund(9) }]
        #expect(state(refunded, at: hour(9))?.evidence == [1, 5])
    }

    @Test func `are written in the words and order of the contract`() {
        let row = state([bought(position: 3), failed(graceUntil: month + 10)], at: hour(month))
        #expect(
            row?.json.serialized() == """
                {"environment":"Production","bundleId":"com.example.app","originalTransactionId":"1",\
                "productId":"pro","status":"gracePeriod","entitled":true,"access":"full","willRenew":true,\
                "pendingProductId":null,"ownership":"PURCHASED","purchasedAt":"1970-01-01T00:00:00.000Z",\
                "expiresAt":"1970-01-31T00:00:00.000Z","gracePeriodExpiresAt":"1970-01-31T10:00:00.000Z",\
                "revokedAt":null,"priceIncrease":null,"reason":"appleGrace","nextStep":"fixBilling",\
                "evidence":[0,3]}
                """)
    }

    @Test func `explain the rule, and when it looks ahead`() throws {
        let late = try #require(state([bought(), info(10)], at: hour(1)))
        #expect(late.rule.name == "periodCovers")
        #expect(late.words.hasSuffix("the first one is taken."))
        let known = try #require(state([bought(), info(10)], at: hour(10)))
        #expect(known.words == known.rule.words)
    }
}
