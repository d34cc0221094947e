package import AppStoreModel
package import Primitives

/// The content of a renewal info, under Apple's names. Only one renewal info is in force at a time, as a whole, which
/// keeps retry, grace and expirationIntent together.
package struct RenewalFact: Hashable, BitwiseCopyable, Sendable {
    package var productId: Symbol?
    package var autoRenewProductId: Symbol?
    package var autoRenewStatus: AutoRenewStatus?
    package var expirationIntent: ExpirationIntent?
    /// True during the grace period as well.
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Instant?
    /// The end of the most recent purchase.
    package var renewalDate: Instant?
    package var recentSubscriptionStartDate: Instant?
    package var priceIncreaseStatus: PriceIncreaseStatus?
    /// Best first.
    package var eligibleWinBackOfferIds: Interned<OfferIdentifiers>?
    package var appAccountToken: AppAccountToken?
    package var appTransactionId: AppleID?
    /// The price and currency of the next renewal.
    package var renewalPrice: TransactionFact.Price?
    /// The offer of the next renewal.
    package var offer: TransactionFact.Offer?
    package var commitment: Commitment?
    /// Whether the statement is about its product alone, because its source has several for the subscription.
    package var isOneOfSeveral = false
    /// Whether this stands for an answer of verifyReceipt with the purchases of the subscription and no word about its
    /// renewal. Apple removes that word when a renewal will not come.
    package var isRemoved = false

    package init() {}

    /// The renewal of a twelve-month commitment at its end.
    package struct Commitment: Hashable, BitwiseCopyable, Sendable {
        package var renewalBillingPlanType: BillingPlanType?
        package var commitmentAutoRenewProductId: Symbol?
        package var commitmentAutoRenewStatus: AutoRenewStatus?
        package var commitmentRenewalBillingPlanType: BillingPlanType?
        package var commitmentRenewalDate: Instant?
        /// Milliunits of the renewal's currency.
        package var commitmentRenewalPrice: Int64?

        package init() {}
    }
}

/// A list of offers, best first. Apple states the same few lists again and again.
package struct OfferIdentifiers: Internable {
    package static let internTable = InternTable<OfferIdentifiers>()

    package let ids: [Symbol]

    /// Returns nil for an empty list.
    package static func interned(_ ids: [Symbol]) -> Interned<OfferIdentifiers>? {
        ids.isEmpty ? nil : Interned(OfferIdentifiers(ids: ids))
    }
}
