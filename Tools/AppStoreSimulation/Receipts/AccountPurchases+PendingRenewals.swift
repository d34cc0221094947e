import AppStoreModel
import Primitives

extension AccountPurchases {
    /// Returns the elements of `pending_renewal_info`: renewals to come, failing ones, and those that did not happen.
    ///
    /// An element is removed when the customer gave up paying, after a migration, and in some accounts 60 days after
    /// the end.
    func pendingRenewals(at instant: Instant) -> [JSONValue] {
        subscriptions.filter { !isForgotten($0, at: instant) }.map { .object($0.pendingRenewal) }
    }

    /// Whether the store no longer states the renewal of a subscription.
    func isForgotten(_ subscription: Subscription, at instant: Instant) -> Bool {
        guard subscription.phase == .expired else { return false }
        let isOld =
            instant.milliseconds - subscription.end.milliseconds
            > configuration.milliseconds(ofDays: BillingRetry.days)
        return subscription.hasGivenUpPaying || subscription.expirationIntent == nil || habits.forgetsLapsed && isOld
    }
}

extension Subscription {
    fileprivate var pendingRenewal: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        members.add("expiration_intent", expirationIntent.map { "\($0.rawValue)" })
        members.add("auto_renew_product_id", nextProduct.id)
        members.add("original_transaction_id", origin.originalTransactionId)
        switch phase {
        case .gracePeriod(let until):
            members.add("is_in_billing_retry_period", graceSignature == .withoutRetryFlag ? "0" : "1")
            if graceSignature != .withoutDate { members.add("grace_period_expires_date", until) }
        case .billingRetry: members.add("is_in_billing_retry_period", "1")
        case .expired where expirationIntent == .billingError: members.add("is_in_billing_retry_period", "0")
        case .active, .expired, .revoked: break
        }
        members.add("product_id", newest.product.id)
        members.add("auto_renew_status", autoRenews ? "1" : "0")
        if let priceIncrease {
            let status = priceIncrease.isAccepted ? "1" : "0"
            members.add("price_consent_status", status)
            members.add("price_increase_status", status)
        }
        guard autoRenews, let offer = nextOffer?.offer else { return members }
        if offer.type == .promotional { members.add("promotional_offer_id", offer.id) }
        if offer.type == .offerCode { members.add("offer_code_ref_name", offer.id) }
        return members
    }
}
