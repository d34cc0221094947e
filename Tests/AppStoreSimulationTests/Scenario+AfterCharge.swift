import AppStoreModel
import AppStoreSimulation

extension Scenario {
    /// Scenarios with an event between the charge for the next period and the start of that period.
    static let afterCharge = [
        Scenario(
            "upgraded after the renewal was charged: the renewal never comes",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.renew(id, at: day(30.5))
                store.changePlan(id, to: "pro.max.monthly", at: day(30.75))
                return id
            },
            states: [
                .on(30.6, "pro.monthly", .active, until: 31, renews: true),
                .on(30.75, "pro.max.monthly", .active, until: 58.75, renews: true),
                .on(31.5, "pro.max.monthly", .active, until: 58.75, renews: true, paidDays: 31),
                .on(59.5, "pro.max.monthly", .active, until: 86.75, renews: true, paidDays: 59),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "DID_CHANGE_RENEWAL_PREF/UPGRADE 1", "DID_RENEW 1",
            ]),
        Scenario(
            "a year bought after the renewal was charged",
            { store, customer in
                let id = store.buy("pro.basic.monthly", by: customer, at: day(0))
                store.renew(id, at: day(30.5))
                store.changePlan(id, to: "pro.yearly", marksReplaced: false, at: day(30.75))
                return id
            },
            states: [
                .on(31, "pro.yearly", .active, until: 395.75, renews: true),
                .on(59, "pro.yearly", .active, until: 395.75, renews: true),
                .on(90, "pro.yearly", .active, until: 395.75, renews: true),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "DID_CHANGE_RENEWAL_PREF/UPGRADE 1"]),
        Scenario(
            "downgraded after the renewal was charged: with the one after",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.renew(id, at: day(30.5))
                store.changePlan(id, to: "pro.basic.monthly", at: day(30.75))
                return id
            },
            states: [
                .on(30.8, "pro.monthly", .active, until: 31, renews: true),
                .on(31, "pro.monthly", .active, until: 59, renews: true, pending: "pro.basic.monthly"),
                .on(59, "pro.basic.monthly", .active, until: 90, renews: true),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1", "DID_RENEW 1",
            ]),
        Scenario(
            "crossgraded to another duration after a downgrade was charged",
            { store, customer in
                let id = store.buy("pro.max.monthly", by: customer, at: day(0))
                store.changePlan(id, to: "pro.monthly", at: day(10))
                store.renew(id, at: day(30.5))
                store.changePlan(id, to: "pro.yearly", at: day(30.75))
                return id
            },
            states: [
                .on(30.8, "pro.max.monthly", .active, until: 31, renews: true, pending: "pro.monthly"),
                .on(31, "pro.monthly", .active, until: 59, renews: true, pending: "pro.yearly"),
                .on(59, "pro.yearly", .active, until: 424, renews: true),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1", "DID_RENEW 1",
                "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1", "DID_RENEW 1",
            ]),
        Scenario(
            "cancelled after the renewal was charged: that one is the last",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.renew(id, at: day(30.5))
                store.cancel(id, at: day(30.75))
                return id
            },
            states: [
                .on(30.8, "pro.monthly", .active, until: 31, renews: true),
                .on(31, "pro.monthly", .active, until: 59),
                .on(59, "pro.monthly", .expired, until: 59, paidDays: 59),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1",
                "EXPIRED/VOLUNTARY 2",
            ]),
        Scenario(
            "a renewal refunded before it begins: the running month runs on",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.renew(id, at: day(30.5))
                store.refund(id, transactionId: store.transactionIds(of: id)[1], at: day(30.75))
                return id
            },
            states: [
                .on(30.8, "pro.monthly", .active, until: 31),
                .on(31, "pro.monthly", .revoked, until: 59, revoked: 30.75, paidDays: 31),
                .on(60, "pro.monthly", .revoked, until: 59, revoked: 30.75),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "REFUND 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1",
            ]),
    ]
}
