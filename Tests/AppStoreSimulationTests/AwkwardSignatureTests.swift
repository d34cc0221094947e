import AppStoreModel
import AppStoreSimulation
import Primitives
import Testing

/// Apple's signatures in the cases that a ledger easily gets wrong.
@Suite struct `Awkward signatures` {
    /// Plays the acts of one customer and reads everything that was signed.
    private func readings(
        in configuration: StoreConfiguration = StoreConfiguration(), _ acts: (inout AppStore, CustomerID) -> Void
    ) throws -> [Reading] {
        var store = AppStore(configuration, opening: Scenario.opening)
        acts(&store, store.addCustomer())
        return try Reading.all(of: store.history)
    }

    @Test func `an upgrade after the charge marks both what ran and what was charged, or neither`() throws {
        let (marked, unmarked) = try (
            Self.upgradeAfterCharge(marksReplaced: true), Self.upgradeAfterCharge(marksReplaced: false)
        )
        let ids = marked.compactMap(\.transaction?.transactionId)
        #expect(ids == [ids[0], ids[1], ids[2], ids[0], ids[1]])
        #expect(marked.map { $0.transaction?.isUpgraded } == [nil, nil, nil, true, true])
        #expect(
            marked.map(\.artifact.change) == [.initialBuy, .renewal, .upgradeAfterCharge, .upgradeMark, .upgradeMark])
        #expect(unmarked.map(\.artifact.change) == [.initialBuy, .renewal, .upgradeAfterCharge])
        #expect(unmarked.allSatisfy { $0.transaction?.isUpgraded == nil })
        // The renewal was charged before the upgrade and begins after it.
        #expect(marked.map { $0.transaction?.purchaseDate }.prefix(3) == [day(0), day(31), day(30.75)])
        #expect(marked.map { $0.renewalInfo?.renewalDate }.prefix(3) == [day(31), day(59), day(58.75)])
        #expect(
            marked.map { $0.renewalInfo?.productId }.prefix(3) == ["pro.monthly", "pro.monthly", "pro.max.monthly"])
    }

    private static func upgradeAfterCharge(marksReplaced: Bool) throws -> [Reading] {
        var store = AppStore(opening: Scenario.opening)
        let id = store.buy("pro.monthly", by: store.addCustomer(), at: day(0))
        store.renew(id, at: day(30.5))
        store.changePlan(id, to: "pro.max.monthly", marksReplaced: marksReplaced, at: day(30.75))
        store.advance(to: day(40))
        return try Reading.all(of: store.history)
    }

    @Test func `what is cancelled after the charge has a renewal info of the last period`() throws {
        let readings = try readings { store, customer in
            let id = store.buy("pro.monthly", by: customer, at: day(0))
            store.renew(id, at: day(30.5))
            store.cancel(id, at: day(30.75))
        }
        #expect(readings.map { $0.renewalInfo?.autoRenewStatus } == [.on, .on, .off])
        #expect(readings.map { $0.renewalInfo?.renewalDate } == [day(31), day(59), day(59)])
        #expect(readings.last?.artifact.change == .autoRenewDisabledAfterCharge)
    }

    @Test func `a renewal refunded before it begins is revoked from before its purchase`() throws {
        let readings = try readings { store, customer in
            let id = store.buy("pro.monthly", by: customer, at: day(0))
            store.renew(id, at: day(30.5))
            store.refund(id, transactionId: store.transactionIds(of: id)[1], at: day(30.75))
        }
        let refunded = try #require(readings[2].transaction)
        #expect(refunded.purchaseDate == day(31) && refunded.revocationDate == day(30.75))
        #expect(readings[2].artifact.change == .refundBeforeStart)
    }

    @Test func `a refund of an unknown kind has a reason and a type that nobody knows`() throws {
        let readings = try readings { store, customer in
            let id = store.buy("pro.monthly", by: customer, at: day(0))
            store.refund(id, .unknown, at: day(10))
        }
        let refunded = try #require(readings[1].transaction)
        #expect(refunded.revocationDate == day(10) && refunded.revocationPercentage == nil)
        #expect(refunded.revocationReason == RevocationReason(rawValue: 2))
        #expect(refunded.revocationType == RevocationType(rawValue: "ASSIGNMENT_REVOKE"))
        #expect(readings.compactMap(\.line)[1] == "REFUND 5")
    }

    @Test func `status 5 alone comes with a transaction without revocation`() throws {
        let readings = try readings { store, customer in
            let id = store.buy("pro.monthly", by: customer, at: day(0))
            store.revokeByStatus(id, at: day(10))
        }
        #expect(readings[1].notification?.data?.status == .revoked)
        #expect(readings[1].transaction?.revocationDate == nil && readings[1].renewalInfo?.autoRenewStatus == .off)
    }

    @Test func `what is regained or restored is another transaction of the same line item`() throws {
        let readings = try readings { store, customer in
            let id = store.buy("pro.max.monthly", by: customer, at: day(0))
            let member = store.share(id, with: store.addCustomer(), at: day(5))
            store.stopSharing(member, at: day(10))
            store.shareAgain(id, with: member, at: day(12))
            store.restore(id, at: day(14))
        }
        let transactions = readings.compactMap(\.transaction)
        for (one, other) in [(transactions[1], transactions[3]), (transactions[0], transactions[4])] {
            #expect(one.webOrderLineItemId == other.webOrderLineItemId)
            #expect(one.transactionId != other.transactionId)
            #expect(one.originalTransactionId == other.originalTransactionId)
            #expect(one.expiresDate == other.expiresDate)
        }
        #expect(transactions[2].revocationDate == day(10) && transactions[3].revocationDate == nil)
        #expect(transactions[3].purchaseDate == day(12) && transactions[4].purchaseDate == day(14))
        #expect(readings[4].artifact.kind == .transaction)
    }

    @Test func `a non-consumable bought again keeps its original transaction id`() throws {
        var store = AppStore(opening: Scenario.opening)
        let unlock = store.buyOnce("unlock", by: store.addCustomer(appAccountToken: Scenario.tokenA), at: day(0))
        store.refund(unlock, at: day(2))
        store.buyAgain(unlock, at: day(4))
        store.advance(to: day(5))
        let readings = try Reading.all(of: store.history)
        #expect(readings.compactMap(\.line) == ["ONE_TIME_CHARGE", "REFUND", "ONE_TIME_CHARGE"])
        let transactions = readings.compactMap(\.transaction)
        #expect(Set(transactions.map(\.originalTransactionId)).count == 1)
        #expect(transactions[0].transactionId != transactions[2].transactionId)
        #expect(transactions.map(\.revocationDate) == [nil, day(2), nil])
        let states = [1.0, 3, 5].map { store.history.truth.rows(at: day($0)).map(\.state) }
        #expect(states.map { $0.map(\.status) } == [[.active], [.revoked], [.active]])
        #expect(states.map { $0.map(\.revokedAt) } == [[nil], [day(2)], [nil]])
        #expect(states.allSatisfy { $0.map(\.owner) == [Scenario.tokenA] })
    }

    @Test func `each transaction keeps its token, unless it is set to another`() throws {
        let readings = try readings { store, customer in
            let id = store.buy("pro.monthly", by: customer, at: day(0))
            store.renew(id, withAppAccountToken: Scenario.tokenB, at: day(20))
            store.advance(to: day(40))
            store.refund(id, transactionId: store.transactionIds(of: id)[0], at: day(41))
            store.setAppAccountToken(Scenario.tokenA, of: id, at: day(42))
        }
        let (a, b) = (Scenario.tokenA, Scenario.tokenB)
        #expect(
            readings.map { [$0.transaction?.appAccountToken, $0.renewalInfo?.appAccountToken] } == [
                [nil, nil], [b, b], [nil, b], [a, nil], [nil, a],
            ])
    }

    @Test(
        arguments: [
            (GraceSignature.documented, true, day(47)), (.withoutRetryFlag, false, day(47)), (.withoutDate, true, nil),
        ] as [(GraceSignature, Bool, Instant?)])
    func `a grace period is signed in three ways`(grace: GraceSignature, isRetrying: Bool, end: Instant?) throws {
        let readings = try readings { store, customer in
            store.buy("pro.monthly", by: customer, at: day(0))
            store.breakBilling(of: customer, grace: grace, at: day(20))
            store.advance(to: day(48))
        }
        #expect(readings.compactMap { $0.notification?.data?.status } == [.active, .gracePeriod, .billingRetry])
        #expect(readings.map { $0.renewalInfo?.isInBillingRetryPeriod } == [nil, isRetrying, true])
        #expect(readings.map { $0.renewalInfo?.gracePeriodExpiresDate } == [nil, end, nil])
    }

    @Test func `a failure signed late is true from the end of the period on`() throws {
        var store = AppStore(opening: Scenario.opening)
        let customer = store.addCustomer()
        let id = store.buy("pro.monthly", by: customer, at: day(0))
        store.breakBilling(of: customer, signedAfterHours: 6, at: day(20))
        store.advance(to: day(32))
        let failure = try #require(try Reading.all(of: store.history).last)
        #expect(failure.line == "DID_FAIL_TO_RENEW/GRACE_PERIOD 4" && failure.artifact.signedDate == day(31.25))
        #expect(failure.transaction?.signedDate == day(31.25) && failure.renewalInfo?.signedDate == day(31.25))
        #expect(store.truth(of: id, at: day(31))?.state.status == .gracePeriod)
        #expect([31, 31.24, 31.25].map { store.history.isSettled(for: 0, at: day($0)) } == [false, false, true])
    }

    @Test func `a device gets the bare transaction, and a second device gets all of them again`() throws {
        let readings = try readings(in: Scenario.withoutNotifications) { store, customer in
            let id = store.buy("pro.monthly", by: customer, at: day(0))
            store.advance(to: day(32))
            store.cancel(id, at: day(33))
            store.reinstall(with: id, at: day(34))
            store.advance(to: day(70))
        }
        #expect(readings.allSatisfy { $0.artifact.kind == .transaction && $0.renewalInfo == nil })
        #expect(readings.map(\.artifact.signedDate) == [day(0), day(31), day(34), day(34)])
        let ids = readings.compactMap(\.transaction?.transactionId)
        #expect(ids == [ids[0], ids[1], ids[0], ids[1]] && ids[0] != ids[1])
    }

    @Test func `a retry has the same UUID and the same nested bytes under a new signature`() throws {
        var configuration = StoreConfiguration()
        configuration.delivery.retryPercent = 100
        var store = AppStore(configuration, opening: Scenario.opening)
        store.buy("pro.monthly", by: store.addCustomer(), at: day(0))
        let signer = JWSSigner()
        let signed = store.history.artifacts.map { signer.sign($0) }
        let readings = try Reading.all(of: store.history)
        try #require(signed.count == 2)
        #expect(signed[0].jws.compact != signed[1].jws.compact)
        #expect(signed[0].transaction?.compact == signed[1].transaction?.compact)
        #expect(signed[0].renewalInfo?.compact == signed[1].renewalInfo?.compact)
        #expect(readings[0].notification?.notificationUUID == readings[1].notification?.notificationUUID)
        #expect(readings[0].notification?.signedDate == day(0))
        let hours = try #require(readings[1].notification?.signedDate).milliseconds - day(0).milliseconds
        #expect([1, 13, 37, 85, 157].contains(hours / Instant.millisecondsPerHour))
    }

    @Test func `what is lost leaves the purchase unknown until something tells all of it`() throws {
        var configuration = StoreConfiguration()
        configuration.delivery.lostPercent = 100
        var store = AppStore(configuration, opening: Scenario.opening)
        let id = store.buy("pro.monthly", by: store.addCustomer(), at: day(0))
        store.launchApp(with: id, at: day(10))
        store.advance(to: day(40))
        let history = store.history
        #expect(history.artifacts.filter { $0.kind == .notification }.allSatisfy { $0.deliveredDate == nil })
        #expect(history.artifacts.filter { $0.kind != .notification }.allSatisfy { $0.deliveredDate == $0.signedDate })
        #expect([0, 10, 31, 40].allSatisfy { !history.isSettled(for: 0, at: day($0)) })
        #expect(history.counts[.notificationLost] == 2)
    }

    @Test func `what is late is settled when it is signed and known when it is delivered`() throws {
        var configuration = StoreConfiguration()
        configuration.delivery.latePercent = 100
        var store = AppStore(configuration, opening: Scenario.opening)
        store.buy("pro.monthly", by: store.addCustomer(), at: day(0))
        store.advance(to: day(20))
        let delivered = try #require(store.history.artifacts[0].deliveredDate)
        #expect((day(0.04)...day(3)).contains(delivered))
        #expect(store.history.isSettled(for: 0, at: day(0)))
        #expect(!store.history.isDelivered(for: 0, at: delivered.advanced(byMilliseconds: -1)))
        #expect(store.history.isDelivered(for: 0, at: delivered))
    }

    private static func contradiction(_ contradiction: Contradiction) throws -> [Reading] {
        var store = AppStore(opening: Scenario.opening)
        let id = store.buy("pro.monthly", by: store.addCustomer(), at: day(0))
        store.advance(to: day(10))
        store.sign(contradiction, of: id)
        return Array(try Reading.all(of: store.history).dropFirst())
    }

    @Test func `contradictions are signed as they stand`() throws {
        let infos = try Self.contradiction(.renewalInfosOfOneInstant)
        #expect(infos.map { $0.renewalInfo?.autoRenewStatus } == [.on, .off])
        #expect(infos[0].renewalInfo?.signedDate == infos[1].renewalInfo?.signedDate)

        let reversal = try Self.contradiction(.reversalBeforeRefund)
        #expect(reversal.map { $0.notification?.notificationType } == [.refundReversed, .refund])
        #expect(reversal.map { $0.transaction?.revocationDate } == [nil, day(10)])
        #expect(reversal[0].artifact.signedDate < reversal[1].artifact.signedDate)

        let upgraded = try Self.contradiction(.upgradeWithoutSuccessor)
        #expect(upgraded.map { $0.transaction?.isUpgraded } == [true])

        let token = try Self.contradiction(.malformedToken)
        #expect(token.map { $0.transaction?.appAccountToken } == ["customer-17"])

        let end = try #require(try Self.contradiction(.endBeforeStart).first?.transaction)
        #expect(try #require(end.expiresDate) < #require(end.purchaseDate))
    }
}
