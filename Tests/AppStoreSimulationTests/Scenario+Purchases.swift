import AppStoreSimulation

extension Scenario {
    static let purchases = [
        Scenario(
            "bought with a trial, then paid",
            { $0.buy("pro.monthly", by: $1, offer: .introductory, at: day(0)) },
            states: [
                .on(0, "pro.monthly", .active, until: 7, renews: true, intro: firstTransaction, paidDays: 0),
                .on(6.9, "pro.monthly", .active, until: 7, renews: true, intro: firstTransaction, paidDays: 0),
                .on(8, "pro.monthly", .active, until: 38, renews: true, intro: firstTransaction, paidDays: 1),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1"]),
        Scenario(
            "expired and bought again, another product",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.cancel(id, at: day(10))
                store.buy("pro.basic.monthly", by: customer, offer: .introductory, at: day(151))
                return id
            },
            states: [
                .on(9, "pro.monthly", .active, until: 31, renews: true),
                .on(31, "pro.monthly", .expired, until: 31, paidDays: 31),
                .on(92, "pro.monthly", .expired, until: 31, paidDays: 0),
                .on(
                    153, "pro.basic.monthly", .active, until: 181, renews: true, intro: "410000000000003", paidDays: 2),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "EXPIRED/VOLUNTARY 2",
                "SUBSCRIBED/RESUBSCRIBE 1",
            ]),
        Scenario(
            "offer redeemed for the next two renewals",
            { store, customer in
                let id = store.buy("pro.max.monthly", by: customer, at: day(0))
                store.redeem(.named("max.taste"), on: id, at: day(5))
                return id
            },
            states: [
                .on(6, "pro.max.monthly", .active, until: 31, renews: true),
                .on(32, "pro.max.monthly", .active, until: 45, renews: true, paidDays: 31),
                .on(46, "pro.max.monthly", .active, until: 73, renews: true, paidDays: 32),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "OFFER_REDEEMED 1", "DID_RENEW 1", "DID_RENEW 1"]),
    ]

    static let renewals = [
        Scenario(
            "renewed ten hours ahead",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.renew(id, at: day(30.5))
                return id
            },
            states: [
                .on(30.4, "pro.monthly", .active, until: 31, renews: true, paidDays: 30),
                .on(30.5, "pro.monthly", .active, until: 31, renews: true, paidDays: 30),
                .on(58, "pro.monthly", .active, until: 59, renews: true, paidDays: 58),
                .on(59, "pro.monthly", .active, until: 90, renews: true, paidDays: 59),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "DID_RENEW 1"]),
        Scenario(
            "cancelled and turned on again",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.cancel(id, at: day(10))
                store.enableAutoRenewal(id, at: day(20))
                return id
            },
            states: [
                .on(10, "pro.monthly", .active, until: 31),
                .on(20, "pro.monthly", .active, until: 31, renews: true),
                .on(31, "pro.monthly", .active, until: 59, renews: true),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED 1", "DID_RENEW 1",
            ]),
        Scenario(
            "product removed from sale",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.removeFromSale("pro.monthly", at: day(10))
                return id
            },
            states: [
                .on(30, "pro.monthly", .active, until: 31, renews: true),
                .on(31, "pro.monthly", .expired, until: 31),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "EXPIRED/PRODUCT_NOT_FOR_SALE 2"]),
        Scenario(
            "price increase accepted",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.raisePrice(of: id, to: 12_990, at: day(10))
                store.acceptPrice(of: id, at: day(20))
                return id
            },
            states: [.on(31, "pro.monthly", .active, until: 59, renews: true)],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "PRICE_INCREASE/PENDING 1", "PRICE_INCREASE/ACCEPTED 1", "DID_RENEW 1",
            ]),
        Scenario(
            "price increase not answered",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.raisePrice(of: id, to: 12_990, at: day(10))
                return id
            },
            states: [
                .on(30, "pro.monthly", .active, until: 31, renews: true),
                .on(31, "pro.monthly", .expired, until: 31),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "PRICE_INCREASE/PENDING 1", "EXPIRED/PRICE_INCREASE 2"]),
        Scenario(
            "renewal extended by ten days",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.extendRenewal(of: id, byDays: 10, at: day(20))
                return id
            },
            states: [
                .on(19, "pro.monthly", .active, until: 31, renews: true),
                .on(40, "pro.monthly", .active, until: 41, renews: true, paidDays: 31),
                .on(42, "pro.monthly", .active, until: 69, renews: true, paidDays: 32),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "RENEWAL_EXTENDED 1", "DID_RENEW 1"]),
    ]
}
