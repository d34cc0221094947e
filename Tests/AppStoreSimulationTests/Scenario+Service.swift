import AppStoreModel
import AppStoreSimulation

extension Scenario {
    static let service = [
        Scenario(
            "shared: the member follows the purchaser",
            { store, customer in
                let id = store.buy("pro.max.monthly", by: customer, at: day(0))
                let member = store.share(id, with: store.addCustomer(), at: day(10))
                store.cancel(id, at: day(40))
                return member
            },
            states: [
                .on(10, "pro.max.monthly", .active, until: 31, renews: true, paidDays: 0),
                .on(31, "pro.max.monthly", .active, until: 59, renews: true),
                .on(40, "pro.max.monthly", .active, until: 59),
                .on(59, "pro.max.monthly", .expired, until: 59, paidDays: 0),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "DID_RENEW 1",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1",
                "EXPIRED/VOLUNTARY 2", "EXPIRED/VOLUNTARY 2",
            ]),
        Scenario(
            "sharing ended: the member loses it",
            { store, customer in
                let id = store.buy("pro.max.monthly", by: customer, at: day(0))
                let member = store.share(id, with: store.addCustomer(), at: day(10))
                store.stopSharing(member, at: day(20))
                return member
            },
            states: [
                .on(20, "pro.max.monthly", .revoked, until: 31, revoked: 20),
                .on(31, "pro.max.monthly", .revoked, until: 31, revoked: 20),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "SUBSCRIBED/INITIAL_BUY 1", "REVOKE 5", "DID_RENEW 1"]),
        Scenario(
            "the purchaser refunded: the member loses it for good",
            { store, customer in
                let id = store.buy("pro.max.monthly", by: customer, at: day(0))
                let member = store.share(id, with: store.addCustomer(), at: day(10))
                store.refund(id, at: day(20))
                store.buy("pro.max.monthly", by: customer, at: day(25))
                return member
            },
            states: [
                .on(20, "pro.max.monthly", .revoked, until: 31, revoked: 20),
                .on(57, "pro.max.monthly", .revoked, until: 31, revoked: 20),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "SUBSCRIBED/INITIAL_BUY 1", "REVOKE 5", "REFUND 5",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 5", "SUBSCRIBED/RESUBSCRIBE 1", "DID_RENEW 1",
            ]),
        Scenario(
            "migrated: the old one ends, the new one begins",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                _ = store.migrate(id, to: "pro.yearly", at: day(10))
                return id
            },
            states: [
                .on(9, "pro.monthly", .active, until: 31, renews: true),
                .on(10, "pro.monthly", .expired, until: 31, paidDays: 10),
                .on(20, "pro.monthly", .expired, until: 31, paidDays: 20),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "MIGRATION 1"]),
        Scenario(
            "asked about and told of without change",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.sendTest(at: day(1))
                store.requestRefund(id, .unintendedPurchase, at: day(2))
                store.declineRefund(id, at: day(3))
                store.setAppAccountToken("7e3fb20b-4cdb-47cc-936d-99d65f608138", of: id, at: day(4))
                store.launchApp(with: id, at: day(5))
                return id
            },
            states: [
                .on(3.9, "pro.monthly", .active, until: 31, renews: true),
                .on(6, "pro.monthly", .active, until: 31, renews: true, owner: "7e3fb20b-4cdb-47cc-936d-99d65f608138"),
            ],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "TEST", "CONSUMPTION_REQUEST 1", "REFUND_DECLINED 1"]),
    ]
}
