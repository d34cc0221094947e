import AppStoreModel
import AppStoreSimulation

extension Scenario {
    static let refunds = [
        Scenario(
            "refunded, and the refund taken back",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.refund(id, at: day(10))
                store.reverseRefund(id, transactionId: store.transactionIds(of: id)[0], at: day(20))
                return id
            },
            states: [
                .on(9, "pro.monthly", .active, until: 31, renews: true, paidDays: 9),
                .on(10, "pro.monthly", .revoked, until: 31, revoked: 10, paidDays: 0),
                .on(20, "pro.monthly", .active, until: 31, paidDays: 20),
                .on(31, "pro.monthly", .expired, until: 31),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "REFUND 5", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 5",
                "REFUND_REVERSED 1", "EXPIRED/VOLUNTARY 2",
            ]),
        Scenario(
            "refunded in part: what was used stays paid",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.cancel(id, at: day(5))
                store.refund(id, .prorated(60_000), reason: .appIssue, at: day(10))
                return id
            },
            states: [
                .on(10, "pro.monthly", .revoked, until: 31, revoked: 10, paidDays: 10),
                .on(40, "pro.monthly", .revoked, until: 31, revoked: 10, paidDays: 10),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "REFUND 5",
            ]),
        Scenario(
            "an earlier period refunded",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.advance(to: day(32))
                store.refund(id, transactionId: store.transactionIds(of: id)[0], at: day(40))
                return id
            },
            states: [.on(41, "pro.monthly", .active, until: 59, renews: true, paidDays: 10)],
            notifications: ["SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "REFUND 1"]),
        Scenario(
            "refunded after the next period was charged",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.renew(id, at: day(30.5))
                store.refund(id, at: day(30.75))
                return id
            },
            states: [
                .on(30.8, "pro.monthly", .revoked, until: 31, revoked: 30.75),
                .on(31, "pro.monthly", .active, until: 59),
                .on(59, "pro.monthly", .expired, until: 59),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_RENEW 1", "REFUND 5",
                "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 5", "EXPIRED/VOLUNTARY 2",
            ]),
        Scenario(
            "refunded after it expired, then bought again",
            { store, customer in
                let id = store.buy("pro.monthly", by: customer, at: day(0))
                store.cancel(id, at: day(5))
                store.refund(id, at: day(40))
                store.buy("pro.monthly", by: customer, offer: .named("comeback"), at: day(59))
                return id
            },
            states: [
                .on(39, "pro.monthly", .expired, until: 31),
                .on(40, "pro.monthly", .revoked, until: 31, revoked: 40),
                .on(60, "pro.monthly", .active, until: 90, renews: true),
            ],
            notifications: [
                "SUBSCRIBED/INITIAL_BUY 1", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED 1", "EXPIRED/VOLUNTARY 2",
                "REFUND 5", "SUBSCRIBED/RESUBSCRIBE 1",
            ]),
    ]
}
