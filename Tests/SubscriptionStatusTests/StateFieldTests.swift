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
        WillRenewRow(observations: [bought { $0.revocation = refund(1) }], at: 1, willRenew: false),
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
        func pending(_ status: AutoRenewStatus, _ product: Symbol?) -> Symbol? {
            state([bought(), info(0, status) { $0.autoRenewProductId = product }], at: hour(1))?.pendingProductId
        }
        #expect(pending(.on, "basic") == "basic")
        #expect(pending(.on, "pro") == nil)
        #expect(pending(.on, nil) == nil)
        #expect(pending(.off, "basic") == nil)
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
        #expect(states.map { $0?.decision.name } == ["periodCovers", "impliedPeriodCovers"])
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

}
