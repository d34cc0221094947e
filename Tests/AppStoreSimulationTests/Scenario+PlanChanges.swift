import AppStoreSimulation

extension Scenario {
    static let planChanges = [
        Scenario(
            "upgraded at once",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.changePlan(id, to: "pro.max.monthly", at: day(10))
                return id
            },
            states: [
                .on(9, "pro.monthly", .active, until: 31, renews: true),
                .on(10, "pro.max.monthly", .active, until: 41, renews: true, paidDays: 10),
                .on(42, "pro.max.monthly", .active, until: 69, renews: true, paidDays: 42),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/UPGRADE 1", "DID_RENEW 1"]),
        Scenario(
            "downgraded with the next renewal, charged ahead",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.changePlan(id, to: "pro.basic.monthly", at: day(10))
                store.renew(id, at: day(30.5))
                return id
            },
            states: [
                .on(10, "pro.monthly", .active, until: 31, renews: true, pending: "pro.basic.monthly"),
                .on(30.6, "pro.monthly", .active, until: 31, renews: true, pending: "pro.basic.monthly"),
                .on(31, "pro.basic.monthly", .active, until: 59, renews: true),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1", "DID_RENEW 1"]),
        Scenario(
            "downgraded and reverted",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.changePlan(id, to: "pro.basic.monthly", at: day(10))
                store.changePlan(id, to: "pro.monthly", at: day(20))
                return id
            },
            states: [
                .on(20, "pro.monthly", .active, until: 31, renews: true),
                .on(31, "pro.monthly", .active, until: 59, renews: true),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1", "DID_CHANGE_RENEWAL_PREF 1",
                "DID_RENEW 1",
            ]),
        Scenario(
            "crossgraded to the same duration at once",
            { store, customer in
                let id = store.buy("news.monthly", by: customer, at: day(0))
                store.changePlan(id, to: "news.sport.monthly", at: day(10))
                return id
            },
            states: [.on(10, "news.sport.monthly", .active, until: 41, renews: true)],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/UPGRADE 1"]),
        Scenario(
            "crossgraded to another duration with the next renewal",
            { store, customer in
                let id = store.buy("news.monthly", by: customer, at: day(0))
                store.changePlan(id, to: "news.quarterly", at: day(10))
                return id
            },
            states: [
                .on(10, "news.monthly", .active, until: 31, renews: true, pending: "news.quarterly"),
                .on(31, "news.quarterly", .active, until: 120, renews: true),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE 1", "DID_RENEW 1"]),
    ]
}
