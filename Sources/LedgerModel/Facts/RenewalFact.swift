package import AppStoreModel
package import Primitives

/// What a renewal info says, in Apple's words. The one signed for a key at a time is taken as a whole, which keeps
/// retry, grace and expirationIntent together.
package struct RenewalFact: Hashable, Sendable {
    package var productId: String?
    package var autoRenewProductId: String?
    package var autoRenewStatus: AutoRenewStatus?
    package var expirationIntent: ExpirationIntent?
    /// True also during grace.
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Instant?
    /// End of the most recent purchase.
    package var renewalDate: Instant?
    package var recentSubscriptionStartDate: Instant?
    package var priceIncreaseStatus: PriceIncreaseStatus?
    /// Best first.
    package var eligibleWinBackOfferIds: [String] = []
    package var appAccountToken: String?
    package var appTransactionId: String?
    /// `commitmentInfo.commitmentAutoRenewStatus`.
    package var commitmentAutoRenewStatus: AutoRenewStatus?

    package init() {}
}
