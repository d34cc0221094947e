package import Primitives

/// The answer about one customer, in one environment.
package struct CustomerAnswer<Row: JSONRepresentable>: JSONRepresentable {
    /// The caller's id of the customer; nil for an anonymous customer.
    package var id: String?
    /// The name of an anonymous customer in later calls; nil for a known customer.
    package var handle: String?
    package var asOf: Instant
    /// The number of events on which the answer is based.
    package var knownAt: UInt64
    /// Whether any purchase entitles the customer, also one of a product that no catalogue has.
    package var entitled: Bool
    /// Ordered by name. Empty without a catalogue.
    package var entitlements: [EntitlementRow]
    /// Ordered by key.
    package var subscriptions: [Rendered<Row>]
    /// The products of the catalogues, and those that the customer bought, ordered by bundle id and product id.
    package var products: [ProductRow]
    /// The subscription groups of these products, ordered by bundle id and group.
    package var groups: [GroupRow]
    /// Consumables and non-renewing subscriptions, oldest first.
    package var purchases: [PurchaseRow]
    /// The eligibility for the introductory offer of each auto-renewable product, ordered by bundle id and product id.
    /// Empty for a restricted answer.
    package var offers: [EligibilityRow]
    /// Ordered by key.
    package var conflicts: [ConflictRow]
    package var nextStep: String
    /// The most urgent first.
    package var nextSteps: [NextStepRow]
    /// Nil when the query has no `signedBy`.
    package var signed: SignedBy?
    /// The merge made by this call.
    package var merged: MergeRow?
    /// The merge undone by this call.
    package var unmerged: MergeRow?

    package init(
        id: String?, handle: String?, asOf: Instant, knownAt: UInt64, entitled: Bool, entitlements: [EntitlementRow],
        subscriptions: [Rendered<Row>], products: [ProductRow], groups: [GroupRow], purchases: [PurchaseRow],
        offers: [EligibilityRow], conflicts: [ConflictRow], nextStep: String, nextSteps: [NextStepRow]
    ) {
        self.id = id
        self.handle = handle
        self.asOf = asOf
        self.knownAt = knownAt
        self.entitled = entitled
        self.entitlements = entitlements
        self.subscriptions = subscriptions
        self.products = products
        self.groups = groups
        self.purchases = purchases
        self.offers = offers
        self.conflicts = conflicts
        self.nextStep = nextStep
        self.nextSteps = nextSteps
    }

    package var json: JSONValue {
        var members = [JSONValue.Member("id", JSONValue(id))]
        if let handle { members.append(.init("handle", .string(handle))) }
        members += signed.members(asOf: asOf, knownAt: knownAt)
        members += [
            .init("entitled", .bool(entitled)),
            .init("entitlements", entitlements.json), .init("subscriptions", subscriptions.json),
            .init("products", products.json), .init("groups", groups.json), .init("purchases", purchases.json),
            .init("offers", offers.json),
            .init("conflicts", conflicts.json), .init("nextStep", .string(nextStep)),
            .init("nextSteps", nextSteps.json),
        ]
        if let merged { members.append(.init("merged", merged.json)) }
        if let unmerged { members.append(.init("unmerged", unmerged.json)) }
        return .object(members)
    }
}

/// A consumable or a non-renewing subscription that a customer bought.
package struct PurchaseRow: Hashable, Sendable {
    package var transactionId: String
    package var id: SubscriptionID
    package var productId: String?
    /// Apple's product type.
    package var type: String
    package var quantity: Int64
    package var purchasedAt: Instant
    /// The start of service of a non-renewing subscription: not before the end of an earlier purchase of the product.
    /// Nil, like the end, unless a catalogue has the duration.
    package var startsAt: Instant?
    package var expiresAt: Instant?
    /// The instant of the refund in force; nil for a purchase that is not refunded.
    package var revokedAt: Instant?
    /// Milliunits of `currency`, for the whole quantity.
    package var price: Int64?
    package var currency: String?

    package init(
        transactionId: String, id: SubscriptionID, productId: String?, type: String, quantity: Int64,
        purchasedAt: Instant, startsAt: Instant?, expiresAt: Instant?, revokedAt: Instant?, price: Int64?,
        currency: String?
    ) {
        self.transactionId = transactionId
        self.id = id
        self.productId = productId
        self.type = type
        self.quantity = quantity
        self.purchasedAt = purchasedAt
        self.startsAt = startsAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.price = price
        self.currency = currency
    }
}

extension PurchaseRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "transactionId": .string(transactionId), "originalTransactionId": .string(id.originalTransactionId),
            "environment": .string(id.environment), "bundleId": .string(id.bundleId),
            "productId": JSONValue(productId), "type": .string(type), "quantity": .integer(quantity),
            "purchasedAt": JSONValue(purchasedAt), "startsAt": JSONValue(startsAt), "expiresAt": JSONValue(expiresAt),
            "revokedAt": JSONValue(revokedAt), "price": JSONValue(price), "currency": JSONValue(currency),
        ])
    }
}

/// A purchase claimed by two known customers.
package struct ConflictRow: Hashable, Sendable {
    package var id: SubscriptionID
    /// The other customer: an external id, or the handle of a customer without one. Nil if the caller may not see it.
    package var with: String?
    package var because: String
    package var remedy: String

    package init(id: SubscriptionID, with: String?, because: String, remedy: String) {
        self.id = id
        self.with = with
        self.because = because
        self.remedy = remedy
    }
}

extension ConflictRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            id.members + [
                .init("with", JSONValue(with)), .init("because", .string(because)), .init("remedy", .string(remedy)),
            ])
    }
}

/// A merge of one handle into another, or its reversal.
package struct MergeRow: Hashable, Sendable {
    package var handle: String
    package var into: String
    /// The position of the event.
    package var position: UInt64

    package init(handle: String, into: String, position: UInt64) {
        self.handle = handle
        self.into = into
        self.position = position
    }
}

extension MergeRow: JSONRepresentable {
    package var json: JSONValue {
        .object(["handle": .string(handle), "into": .string(into), "position": JSONValue(position: position)])
    }
}
