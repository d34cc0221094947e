import AppStoreModel
import AppStoreSimulation
import Primitives
import Testing

@Suite("App Store")
struct AppStoreTests {
    @Test(arguments: Scenario.all)
    func `acts make true what is expected of them`(_ scenario: Scenario) throws {
        let (store, subscription) = scenario.play()
        for expected in scenario.states {
            let row = try #require(store.truth(of: subscription, at: day(expected.day)))
            #expect(row.state == expected.state, "day \(expected.day)")
            if let paidDays = expected.paidDays { #expect(row.paidDays == paidDays, "day \(expected.day)") }
        }
        #expect(store.truth(of: subscription, at: Scenario.opening.advanced(byMilliseconds: -1)) == nil)
    }

    @Test(arguments: Scenario.all)
    func `acts have signed what is expected of them`(_ scenario: Scenario) throws {
        let (store, _) = scenario.play()
        #expect(try Reading.all(of: store.history).compactMap(\.line) == scenario.notifications)
    }

    /// Plays the acts of a scenario with one customer and reads everything that was signed.
    func readings(_ acts: (inout AppStore, CustomerID) -> Void) throws -> [Reading] {
        var store = AppStore(opening: Scenario.opening)
        acts(&store, store.addCustomer())
        return try Reading.all(of: store.history)
    }

    @Test func `a pay as you go offer is charged as often as it says, then the price`() throws {
        let readings = try readings { store, customer in
            store.buy("pro.basic.monthly", by: customer, offer: .introductory, at: day(0))
            store.advance(to: day(95))
        }
        let charges = readings.compactMap(\.transaction)
        #expect(charges.map(\.price) == [990, 990, 990, 4_990])
        #expect(charges.map(\.offerType) == [.introductory, .introductory, .introductory, nil])
        #expect(charges.map(\.offerPeriod) == ["P3M", "P3M", "P3M", nil])
        #expect(charges.map(\.offerDiscountType) == [.payAsYouGo, .payAsYouGo, .payAsYouGo, nil])
        #expect(charges.map(\.transactionReason) == [.purchase, .renewal, .renewal, .renewal])
        #expect(readings.compactMap { $0.renewalInfo?.renewalPrice } == [990, 990, 4_990, 4_990])
        #expect(readings.map { $0.renewalInfo?.offerType } == [.introductory, .introductory, nil, nil])
        #expect(Set(charges.map(\.originalTransactionId)) == [charges[0].transactionId])
        #expect(Set(charges.map(\.webOrderLineItemId)).count == 4)
    }

    @Test func `an upgrade signs the old transaction again`() throws {
        let readings = try readings { store, customer in
            let id = store.buy("pro.monthly", by: customer, at: day(0))
            store.changePlan(id, to: "pro.max.monthly", at: day(10))
        }
        let charges = readings.compactMap(\.transaction)
        #expect(charges.count == 3)
        #expect(charges[1].transactionReason == .purchase && charges[1].purchaseDate == day(10))
        #expect(charges[2].transactionId == charges[0].transactionId)
        #expect(charges[2].isUpgraded == true && charges[0].isUpgraded == nil)
        #expect(charges[2].expiresDate == charges[0].expiresDate)
        #expect(readings[2].artifact.kind == .transaction)
    }

    @Test func `a refund is signed into the transaction, and out of it when reversed`() throws {
        let readings = try readings { store, customer in
            let id = store.buy("pro.monthly", by: customer, at: day(0))
            store.refund(id, .prorated(60_000), reason: .appIssue, at: day(10))
            store.reverseRefund(id, transactionId: store.transactionIds(of: id)[0], at: day(20))
        }
        let charges = readings.compactMap(\.transaction)
        #expect(charges.map(\.revocationDate) == [nil, day(10), day(10), nil])
        #expect(charges[1].revocationType == .refundProrated)
        #expect(charges[1].revocationReason == .appIssue)
        #expect(charges[1].revocationPercentage == 60_000)
        #expect(readings.map { $0.renewalInfo?.autoRenewStatus } == [.on, .off, .off, .off])
    }

    @Test func `what is shared has its own ids, no price, and Apple's reason when it ends`() throws {
        let readings = try readings { store, customer in
            let id = store.buy("pro.max.monthly", by: customer, at: day(0))
            let member = store.share(id, with: store.addCustomer(), at: day(10))
            store.stopSharing(member, at: day(20))
        }
        let own = try #require(readings[0].transaction)
        let shared = try #require(readings[1].transaction)
        let revoked = try #require(readings[2].transaction)
        #expect(own.inAppOwnershipType == .purchased && shared.inAppOwnershipType == .familyShared)
        #expect(shared.originalTransactionId != own.originalTransactionId)
        #expect(shared.appTransactionId != own.appTransactionId)
        #expect(shared.price == nil && shared.expiresDate == own.expiresDate)
        #expect(revoked.revocationType == .familyRevoke && revoked.revocationReason == .other)
        #expect(revoked.revocationPercentage == nil && revoked.revocationDate == day(20))
    }

    @Test func `renewal info tells of grace, retry and their end`() throws {
        let readings = try readings { store, customer in
            store.buy("pro.monthly", by: customer, at: day(0))
            store.breakBilling(of: customer, at: day(1))
            store.advance(to: day(100))
        }
        let renewalInfos = readings.compactMap(\.renewalInfo)
        #expect(renewalInfos.map(\.gracePeriodExpiresDate) == [nil, day(47), nil, nil])
        #expect(renewalInfos.map(\.isInBillingRetryPeriod) == [nil, true, true, false])
        #expect(renewalInfos.map(\.expirationIntent) == [nil, .billingError, .billingError, .billingError])
        #expect(renewalInfos.map(\.autoRenewStatus) == [.on, .on, .on, .off])
        #expect(readings.map(\.artifact.signedDate) == [day(0), day(31), day(47), day(91)])
        #expect(renewalInfos.allSatisfy { $0.renewalDate == day(31) })
    }

    @Test func `renewal info tells of prices, offers and what can win back`() throws {
        let readings = try readings { store, customer in
            let id = store.buy("pro.monthly", by: customer, at: day(0))
            store.raisePrice(of: id, to: 12_990, at: day(1))
            store.acceptPrice(of: id, at: day(2))
            store.redeem(.named("loyal"), on: id, at: day(40))
            store.cancel(id, at: day(41))
            store.buy("pro.monthly", by: customer, offer: .named("comeback"), at: day(200))
        }
        let lines = readings.compactMap(\.line)
        let renewalInfos = Dictionary(zip(lines, readings.map(\.renewalInfo))) { first, _ in first }
        #expect(renewalInfos["PRICE_INCREASE/PENDING 1"]??.priceIncreaseStatus == .pending)
        #expect(renewalInfos["PRICE_INCREASE/PENDING 1"]??.renewalPrice == 12_990)
        #expect(renewalInfos["PRICE_INCREASE/ACCEPTED 1"]??.priceIncreaseStatus == .accepted)
        #expect(renewalInfos["DID_RENEW 1"]??.priceIncreaseStatus == nil)
        #expect(renewalInfos["OFFER_REDEEMED 1"]??.offerIdentifier == "loyal")
        #expect(renewalInfos["OFFER_REDEEMED 1"]??.offerType == .promotional)
        #expect(renewalInfos["OFFER_REDEEMED 1"]??.renewalPrice == 4_990)
        #expect(renewalInfos["EXPIRED/VOLUNTARY 2"]??.eligibleWinBackOfferIds == ["comeback"])
        #expect(renewalInfos["EXPIRED/VOLUNTARY 2"]??.expirationIntent == .cancelled)
        let back = try #require(readings.last)
        #expect(back.transaction?.offerType == .winBack && back.transaction?.price == 990)
        #expect(back.renewalInfo?.eligibleWinBackOfferIds == nil)
        #expect(readings[0].renewalInfo?.recentSubscriptionStartDate == day(0))
        #expect(back.renewalInfo?.recentSubscriptionStartDate == day(200))
        let paid = readings.filter { $0.line == "DID_RENEW 1" }.compactMap(\.transaction?.price)
        #expect(paid == [12_990])
    }

    @Test func `a migration names where it comes from`() throws {
        var store = AppStore(opening: Scenario.opening)
        let customer = store.addCustomer()
        let old = store.buy("pro.monthly", by: customer, at: day(0))
        let new = store.migrate(old, to: "pro.yearly", at: day(10))
        store.advance(to: day(20))
        let last = try #require(try Reading.all(of: store.history).last)
        #expect(last.transaction?.previousOriginalTransactionId == store.originalTransactionId(of: old))
        #expect(last.transaction?.originalTransactionId == store.originalTransactionId(of: new))
        #expect(store.subscription(of: customer, inGroup: StoreCatalog.proGroup) == new)
        #expect(store.truth(of: new, at: day(20))?.paidDays == 20)
        #expect(store.truth(of: new, at: day(9)) == nil)
    }

    @Test func `a token set later is signed into both, and into what follows`() throws {
        let token = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        let readings = try readings { store, customer in
            let id = store.buy("pro.monthly", by: customer, at: day(0))
            store.setAppAccountToken(token, of: id, at: day(10))
            store.advance(to: day(32))
        }
        #expect(readings.map(\.artifact.kind) == [.notification, .transaction, .renewalInfo, .notification])
        #expect(readings.map { $0.transaction?.appAccountToken } == [nil, token, nil, token])
        #expect(readings.map { $0.renewalInfo?.appAccountToken } == [nil, nil, token, token])
    }

    @Test func `one-time purchases are charged, refunded and restored`() throws {
        var store = AppStore(opening: Scenario.opening)
        let customer = store.addCustomer(storefront: Storefront.all[2])
        let unlock = store.buyOnce("unlock", by: customer, at: day(0))
        let coins = store.buyOnce("coins.100", by: customer, quantity: 3, at: day(1))
        store.buyOnce("season", by: customer, at: day(2))
        store.refund(unlock, at: day(3))
        store.refund(coins, at: day(4))
        store.reverseRefund(unlock, at: day(5))

        let rows = [0.0, 3, 5].map { store.history.truth.rows(at: day($0)) }
        #expect(rows.map(\.count) == [1, 1, 1])
        #expect(rows.map { $0[0].state.status } == [.active, .revoked, .active])
        #expect(rows.map { $0[0].state.revokedAt } == [nil, day(3), nil])
        #expect(rows[0][0].state.expiresAt == nil && rows[0][0].state.willRenew == false)
        #expect(rows[0][0].originalTransactionId == store.originalTransactionId(of: unlock))

        let readings = try Reading.all(of: store.history)
        #expect(
            readings.compactMap(\.line) == [
                "ONE_TIME_CHARGE", "ONE_TIME_CHARGE", "ONE_TIME_CHARGE", "REFUND", "REFUND", "REFUND_REVERSED",
            ])
        let charges = readings.compactMap(\.transaction)
        #expect(charges.map(\.type).prefix(3) == [.nonConsumable, .consumable, .nonRenewing])
        #expect(charges[1].quantity == 3 && charges[1].price == 297_000 && charges[1].currency == "JPY")
        #expect(charges.allSatisfy { $0.expiresDate == nil && $0.subscriptionGroupIdentifier == nil })
        #expect(readings.allSatisfy { $0.renewalInfo == nil })
    }

    @Test func `rows are sorted by environment, bundle and original transaction`() {
        let truth = Simulation(customers: 30).run().truth
        let ids = truth.rows(at: Simulation().end).map(\.originalTransactionId)
        #expect(ids == ids.sorted() && ids.count >= 30)
    }

    @Test func `in the sandbox ids look otherwise and the app has no Apple id`() throws {
        var configuration = StoreConfiguration()
        configuration.environment = .sandbox
        configuration.appAppleId = nil
        var store = AppStore(configuration, opening: Scenario.opening)
        store.buy("pro.monthly", by: store.addCustomer(), at: day(0))
        let reading = try #require(try Reading.all(of: store.history).first)
        #expect(reading.notification?.environment == .sandbox && reading.notification?.appAppleId == nil)
        #expect(reading.transaction?.environment == .sandbox && reading.renewalInfo?.environment == .sandbox)
        #expect(reading.transaction?.transactionId == "2000000000000001")
        #expect(store.history.truth.rows(at: day(0)).map(\.environment) == [.sandbox])
    }

    @Test func `changes of one subscription are signed in their order`() {
        var configuration = StoreConfiguration.lifelike
        configuration.delivery = NotificationDelivery()
        var store = AppStore(configuration, opening: Scenario.opening)
        let id = store.buy("pro.monthly", by: store.addCustomer(), at: day(1))
        for second in stride(from: 0.0, to: 20, by: 2) {
            store.cancel(id, at: day(2 + second / 86_400))
            store.enableAutoRenewal(id, at: day(2 + (second + 1) / 86_400))
        }
        let dates = store.history.changes.map(\.signedDate)
        #expect(dates == dates.sorted() && Set(dates).count == dates.count)
        #expect(store.history.changes.allSatisfy { $0.date < $0.signedDate })
    }

    @Test func `a nested JWS can be signed by another`() throws {
        var store = AppStore(opening: Scenario.opening)
        store.buy("pro.monthly", by: store.addCustomer(), at: day(0))
        let foreign = JWSSigner(try SigningAuthority.mint())
        let signed = JWSSigner().sign(store.history.artifacts[0], nestedBy: foreign)
        #expect(signed.transaction?.header == foreign.header.serialized())
        #expect(signed.renewalInfo?.header == foreign.header.serialized())
        #expect(signed.jws.header == JWSSigner().header.serialized())
        let nested = try signed.jws.verified(Notification.init).payload.data?.signedTransactionInfo
        #expect(nested == signed.transaction?.compact)
    }

    @Test func `a notification is posted as signedPayload`() throws {
        var store = AppStore(opening: Scenario.opening)
        store.sendTest(at: day(0))
        let signed = JWSSigner().sign(store.history.artifacts[0])
        let body = try JSONDocument(parsing: try #require(signed.body)).root
        #expect(body.members.map(\.key) == ["signedPayload"])
        #expect(body["signedPayload"]?.string == signed.jws.text)
    }
}
