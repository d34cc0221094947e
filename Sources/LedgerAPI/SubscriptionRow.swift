package import Primitives

/// The state of one subscription at an instant: a row of `state`, of a customer's answer and of the transitions feed.
///
/// On the wire, enumerations are strings and absent values are null.
package struct SubscriptionRow: Hashable, Sendable {
    package var id: SubscriptionID
    package var productId: String?
    package var subscriptionGroupIdentifier: String?
    package var transactionId: String?
    /// `active`, `gracePeriod`, `billingRetry`, `revoked` or `expired`.
    package var status: String
    package var entitled: Bool
    /// `full`, `limited` or `none`.
    package var access: String
    /// The end of access if no further event arrives; nil when access never ends, or has ended.
    package var accessUntil: Instant?
    package var willRenew: Bool?
    package var pendingProductId: String?
    package var ownership: String?
    package var originalPurchaseDate: Instant
    package var purchasedAt: Instant
    package var expiresAt: Instant?
    package var gracePeriodExpiresAt: Instant?
    package var revokedAt: Instant?
    /// Milliunits of `currency`.
    package var price: Int64?
    package var currency: String?
    /// ISO 3166-1 alpha-3.
    package var storefront: String?
    package var offer: OfferTerms?
    /// `pending` or `accepted`.
    package var priceIncrease: String?
    package var autoRenewOffSince: Instant?
    package var billingIssueSince: Instant?
    package var commitment: CommitmentTerms?
    package var reason: String
    package var nextStep: String
    /// The win-back offers for the `nextStep` offerWinBack, best first.
    package var offerIds: [String]
    /// The names of inferred fields, sorted.
    package var inferred: [String]
    package var historyIncomplete: Bool
    package var disagreement: Disagreement?
    /// The positions of the supporting events, ascending.
    package var evidence: [UInt64]

    /// A plan with a commitment of twelve months.
    package struct CommitmentTerms: Hashable, Sendable {
        package var endsAt: Instant?
        package var willRenew: Bool?
        package var productId: String?
        package var period: Int64?
        package var of: Int64?

        package init(endsAt: Instant?, willRenew: Bool?, productId: String?, period: Int64?, of: Int64?) {
            self.endsAt = endsAt
            self.willRenew = willRenew
            self.productId = productId
            self.period = period
            self.of = of
        }
    }

    /// A status signed by Apple that differs from the folded one at the notification's signedDate.
    package struct Disagreement: Hashable, Sendable {
        package var position: UInt64
        package var signed: String
        package var folded: String

        package init(position: UInt64, signed: String, folded: String) {
            self.position = position
            self.signed = signed
            self.folded = folded
        }
    }

    package init(
        id: SubscriptionID, productId: String?, subscriptionGroupIdentifier: String?, transactionId: String?,
        status: String, entitled: Bool, access: String, accessUntil: Instant?, willRenew: Bool?,
        pendingProductId: String?, ownership: String?, originalPurchaseDate: Instant, purchasedAt: Instant,
        expiresAt: Instant?, gracePeriodExpiresAt: Instant?, revokedAt: Instant?, price: Int64?, currency: String?,
        storefront: String?, offer: OfferTerms?, priceIncrease: String?, autoRenewOffSince: Instant?,
        billingIssueSince: Instant?, commitment: CommitmentTerms?, reason: String, nextStep: String,
        offerIds: [String], inferred: [String], historyIncomplete: Bool, disagreement: Disagreement?,
        evidence: [UInt64]
    ) {
        self.id = id
        self.productId = productId
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.transactionId = transactionId
        self.status = status
        self.entitled = entitled
        self.access = access
        self.accessUntil = accessUntil
        self.willRenew = willRenew
        self.pendingProductId = pendingProductId
        self.ownership = ownership
        self.originalPurchaseDate = originalPurchaseDate
        self.purchasedAt = purchasedAt
        self.expiresAt = expiresAt
        self.gracePeriodExpiresAt = gracePeriodExpiresAt
        self.revokedAt = revokedAt
        self.price = price
        self.currency = currency
        self.storefront = storefront
        self.offer = offer
        self.priceIncrease = priceIncrease
        self.autoRenewOffSince = autoRenewOffSince
        self.billingIssueSince = billingIssueSince
        self.commitment = commitment
        self.reason = reason
        self.nextStep = nextStep
        self.offerIds = offerIds
        self.inferred = inferred
        self.historyIncomplete = historyIncomplete
        self.disagreement = disagreement
        self.evidence = evidence
    }
}

extension SubscriptionRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            id.members + [
                .init("productId", JSONValue(productId)),
                .init("subscriptionGroupIdentifier", JSONValue(subscriptionGroupIdentifier)),
                .init("transactionId", JSONValue(transactionId)),
                .init("status", .string(status)),
                .init("entitled", .bool(entitled)),
                .init("access", .string(access)),
                .init("accessUntil", JSONValue(accessUntil)),
                .init("willRenew", JSONValue(willRenew)),
                .init("pendingProductId", JSONValue(pendingProductId)),
                .init("ownership", JSONValue(ownership)),
                .init("originalPurchaseDate", JSONValue(originalPurchaseDate)),
                .init("purchasedAt", JSONValue(purchasedAt)),
                .init("expiresAt", JSONValue(expiresAt)),
                .init("gracePeriodExpiresAt", JSONValue(gracePeriodExpiresAt)),
                .init("revokedAt", JSONValue(revokedAt)),
                .init("price", JSONValue(price)),
                .init("currency", JSONValue(currency)),
                .init("storefront", JSONValue(storefront)),
                .init("offer", JSONValue(offer)),
                .init("priceIncrease", JSONValue(priceIncrease)),
                .init("autoRenewOffSince", JSONValue(autoRenewOffSince)),
                .init("billingIssueSince", JSONValue(billingIssueSince)),
                .init("commitment", JSONValue(commitment)),
                .init("reason", .string(reason)),
                .init("nextStep", .string(nextStep)),
                .init("offerIds", .array(offerIds.map { .string($0) })),
                .init("inferred", .array(inferred.map { .string($0) })),
                .init("historyIncomplete", .bool(historyIncomplete)),
                .init("disagreement", JSONValue(disagreement)),
                .init("evidence", JSONValue(positions: evidence)),
            ])
    }
}

extension SubscriptionRow.CommitmentTerms: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "endsAt": JSONValue(endsAt), "willRenew": JSONValue(willRenew), "productId": JSONValue(productId),
            "period": JSONValue(period), "of": JSONValue(of),
        ])
    }
}

extension SubscriptionRow.Disagreement: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "position": JSONValue(position: position), "signed": .string(signed), "folded": .string(folded),
        ])
    }
}
