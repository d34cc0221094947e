import AppStoreModel
import AppStoreSimulation

extension Scenario {
    static let billing = [
        Scenario(
            "recovered in grace: the anniversary stays",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.breakBilling(of: customer, at: day(20))
                store.fixBilling(of: customer, at: day(35))
                return id
            },
            states: [
                .on(30, "pro.monthly", .active, until: 31, renews: true),
                .on(31, "pro.monthly", .gracePeriod, until: 31, renews: true),
                .on(35, "pro.monthly", .active, until: 59, renews: true, paidDays: 35),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4", "DID_RENEW/BILLING_RECOVERY 1",
            ]
        ),
        Scenario(
            "recovered in retry: the anniversary moves",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.breakBilling(of: customer, at: day(20))
                store.fixBilling(of: customer, at: day(50))
                return id
            },
            states: [
                .on(46, "pro.monthly", .gracePeriod, until: 31, renews: true),
                .on(47, "pro.monthly", .billingRetry, until: 31, renews: true),
                .on(60, "pro.monthly", .active, until: 78, renews: true, paidDays: 41),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4", "GRACE_PERIOD_EXPIRED 3",
                "DID_RENEW/BILLING_RECOVERY 1",
            ]),
        Scenario(
            "weekly: six days of grace",
            { store, customer in
                let id = store.buy("pro.basic.weekly", by: customer, at: day(0))
                store.breakBilling(of: customer, at: day(2))
                return id
            },
            states: [
                .on(12.9, "pro.basic.weekly", .gracePeriod, until: 7, renews: true),
                .on(13, "pro.basic.weekly", .billingRetry, until: 7, renews: true),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4", "GRACE_PERIOD_EXPIRED 3"]),
        Scenario(
            "never collected", in: withoutGrace,
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.breakBilling(of: customer, at: day(20))
                return id
            },
            states: [
                .on(31, "pro.monthly", .billingRetry, until: 31, renews: true),
                .on(90.9, "pro.monthly", .billingRetry, until: 31, renews: true),
                .on(91, "pro.monthly", .expired, until: 31),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW 3", "EXPIRED/BILLING_RETRY 2"]),
        Scenario(
            "a trial that is not paid gets no grace",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, offer: .introductory, at: day(0))
                store.breakBilling(of: customer, at: day(2))
                return id
            },
            states: [
                .on(7, "pro.monthly", .billingRetry, until: 7, renews: true, intro: firstTransaction, paidDays: 0)
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW 3"]),
        Scenario(
            "cancelled in retry: it is over",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.breakBilling(of: customer, at: day(20))
                store.cancel(id, at: day(33))
                return id
            },
            states: [.on(33, "pro.monthly", .expired, until: 31), .on(95, "pro.monthly", .expired, until: 31)],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_FAIL_TO_RENEW/GRACE_PERIOD 4",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 2",
            ]),
        Scenario(
            "fixed before the end: nothing happened",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.breakBilling(of: customer, at: day(20))
                store.fixBilling(of: customer, at: day(25))
                return id
            },
            states: [.on(31, "pro.monthly", .active, until: 59, renews: true)],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1"]),
    ]
}
