package import Primitives

/// A step by which a customer keeps or regains service.
package struct NextStepRow: Hashable, Sendable {
    /// fixBilling, consentToPrice, offerDowngrade, buy, offerWinBack or resubscribe.
    package var step: String
    package var id: SubscriptionID
    package var productId: String?
    /// The products to offer for offerDowngrade and buy.
    package var productIds: [String]
    /// The offers for offerWinBack, best first.
    package var offerIds: [String]
    /// Apple's page for the step; nil for a step inside the app.
    package var url: String?
    /// The instant by which the step has to be taken.
    package var until: Instant?
    /// The whole days until then.
    package var daysLeft: Int64?
    /// Milliunits of `currency`; nil if unknown.
    package var price: Int64?
    package var currency: String?
    /// The entitlements that end without the step, or that it brings back.
    package var entitlements: [String]

    package init(
        step: String, id: SubscriptionID, productId: String?, productIds: [String], offerIds: [String], url: String?,
        until: Instant?, daysLeft: Int64?, price: Int64?, currency: String?, entitlements: [String]
    ) {
        self.step = step
        self.id = id
        self.productId = productId
        self.productIds = productIds
        self.offerIds = offerIds
        self.url = url
        self.until = until
        self.daysLeft = daysLeft
        self.price = price
        self.currency = currency
        self.entitlements = entitlements
    }
}

extension NextStepRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            [.init("step", .string(step))] + id.members + [
                .init("productId", JSONValue(productId)), .init("productIds", .array(productIds.map { .string($0) })),
                .init("offerIds", .array(offerIds.map { .string($0) })), .init("url", JSONValue(url)),
                .init("until", JSONValue(until)), .init("daysLeft", JSONValue(daysLeft)),
                .init("price", JSONValue(price)), .init("currency", JSONValue(currency)),
                .init("entitlements", .array(entitlements.map { .string($0) })),
            ])
    }
}
