import AppStoreModel
import AppStoreSimulation

extension Scenario {
    static let tokenA = "aaaaaaaa-0000-4000-8000-00000000000a"
    static let tokenB = "bbbbbbbb-0000-4000-8000-00000000000b"
    static let withoutNotifications: StoreConfiguration = {
        var configuration = StoreConfiguration()
        configuration.notifies = false
        return configuration
    }()

    static let awkward = [
        Scenario(
            "upgraded to a plan that ends before the old one would have",
            { store, customer in
                let id = store.buy("pro.yearly", by: customer, at: day(0))
                store.changePlan(id, to: "pro.max.monthly", marksReplaced: false, at: day(10))
                store.cancel(id, at: day(20))
                return id
            },
            states: [
                .on(10, "pro.max.monthly", .active, until: 41, renews: true),
                .on(20, "pro.max.monthly", .active, until: 41),
                .on(41, "pro.max.monthly", .expired, until: 41, paidDays: 41),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/UPGRADE 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "EXPIRED/VOLUNTARY 2",
            ]),
        Scenario(
            "refunded, the refund reversed, refunded again",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.refund(id, at: day(10))
                store.reverseRefund(id, transactionId: store.transactionIds(of: id)[0], at: day(12))
                store.refund(id, at: day(14))
                return id
            },
            states: [
                .on(11, "pro.monthly", .revoked, until: 31, revoked: 10),
                .on(13, "pro.monthly", .active, until: 31),
                .on(15, "pro.monthly", .revoked, until: 31, revoked: 14),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "REFUND 5", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 5",
                "REFUND_REVERSED 1", "REFUND 5",
            ]),
        Scenario(
            "revoked by nothing but status 5",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.revokeByStatus(id, at: day(10))
                return id
            },
            states: [
                .on(9, "pro.monthly", .active, until: 31, renews: true),
                .on(10, "pro.monthly", .revoked, until: 31, revoked: 10, paidDays: 10),
                .on(40, "pro.monthly", .revoked, until: 31, revoked: 10),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 5"]),
        Scenario(
            "sharing ended and regained in one period",
            { store, customer in
                let id = store.buy("pro.max.monthly", by: customer, at: day(0))
                let member = store.share(id, with: store.addCustomer(), at: day(5))
                store.stopSharing(member, at: day(10))
                store.shareAgain(id, with: member, at: day(12))
                return member
            },
            states: [
                .on(11, "pro.max.monthly", .revoked, until: 31, revoked: 10),
                .on(12, "pro.max.monthly", .active, until: 31, renews: true),
                .on(31, "pro.max.monthly", .active, until: 59, renews: true),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "SUBSCRIBED/INITIAL_BUY 1", "REVOKE 5", "SUBSCRIBED/RESUBSCRIBE 1",
                "DID_RENEW 1", "DID_RENEW 1",
            ]),
        Scenario(
            "set to another token in mid-period, renewed with a third, bought again with the second",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.setAppAccountToken(tokenA, of: id, at: day(10))
                store.renew(id, withAppAccountToken: tokenB, at: day(20))
                store.cancel(id, at: day(40))
                store.signIn(tokenA, by: customer, at: day(70))
                store.buy("pro.monthly", by: customer, at: day(90))
                return id
            },
            states: [
                .on(9, "pro.monthly", .active, until: 31, renews: true),
                .on(10, "pro.monthly", .active, until: 31, renews: true, owner: tokenA),
                .on(30, "pro.monthly", .active, until: 31, renews: true, owner: tokenA),
                .on(31, "pro.monthly", .active, until: 59, renews: true, owner: tokenB),
                .on(80, "pro.monthly", .expired, until: 59, owner: tokenB),
                .on(90, "pro.monthly", .active, until: 120, renews: true, owner: tokenA),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1",
                "EXPIRED/VOLUNTARY 2", "SUBSCRIBED/RESUBSCRIBE 1",
            ]),
        Scenario(
            "in grace without the retry flag",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.breakBilling(of: customer, grace: .withoutRetryFlag, at: day(20))
                return id
            },
            states: [
                .on(46, "pro.monthly", .gracePeriod, until: 31, renews: true),
                .on(47, "pro.monthly", .billingRetry, until: 31, renews: true),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4", "GRACE_PERIOD_EXPIRED 3"]),
        Scenario(
            "cancelled in a grace period without a date",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.breakBilling(of: customer, grace: .withoutDate, at: day(20))
                store.cancel(id, at: day(35))
                return id
            },
            states: [
                .on(34, "pro.monthly", .gracePeriod, until: 31, renews: true),
                .on(35, "pro.monthly", .expired, until: 31),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 2",
            ]),
        Scenario(
            "restored, installed again and told of in unknown words: nothing changes",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.restore(id, at: day(5))
                store.reinstall(with: id, at: day(6))
                store.sendUnknownType(of: id, at: day(7))
                store.sendUnknownStatus(of: id, at: day(8))
                return id
            },
            states: [
                .on(9, "pro.monthly", .active, until: 31, renews: true),
                .on(31, "pro.monthly", .active, until: 59, renews: true, paidDays: 31),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "NOT_YET_DOCUMENTED 1", "METADATA_UPDATE 6", "DID_RENEW 1"]),
        Scenario(
            "known from devices alone: whether it renews is known only once it has", in: withoutNotifications,
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.renew(id, at: day(30.5))
                store.cancel(id, at: day(40))
                return id
            },
            states: [
                .on(30.4, "pro.monthly", .active, until: 31, renews: nil),
                .on(30.5, "pro.monthly", .active, until: 31, renews: true),
                .on(31, "pro.monthly", .active, until: 59, renews: nil),
                .on(41, "pro.monthly", .active, until: 59, renews: nil),
                .on(59, "pro.monthly", .expired, until: 59),
            ],
            notifications: []),
    ]
}
