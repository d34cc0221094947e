package import Primitives

/// An element of `pending_renewal_info`: the next renewal of a subscription. It is not signed, and it has no date of the
/// renewal.
/// https://developer.apple.com/documentation/appstorereceipts/responsebody/pending_renewal_info
package struct PendingRenewal: Sendable, Hashable {
    package var originalTransactionId: String
    package var productId: String?
    package var autoRenewProductId: String?
    package var autoRenewStatus: AutoRenewStatus?
    package var expirationIntent: ExpirationIntent?
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: Instant?
    package var priceIncreaseStatus: PriceIncreaseStatus?
    /// The offer of the next renewal.
    package var offer: InAppPurchase.Offer?

    /// - Parameter originalTransactionId: that of an element which does not name one.
    init?(_ element: JSONView, originalTransactionId: String? = nil) {
        let fields = ReceiptFields(element)
        guard let id = fields.text("original_transaction_id") ?? originalTransactionId else { return nil }
        self.originalTransactionId = id
        productId = fields.text("product_id")
        autoRenewProductId = fields.text("auto_renew_product_id")
        // Notifications write true and false, answers 1 and 0.
        autoRenewStatus = fields.flag("auto_renew_status").map { $0 ? .on : .off }
        expirationIntent = fields.integer("expiration_intent").map(ExpirationIntent.init(rawValue:))
        isInBillingRetryPeriod = fields.flag("is_in_billing_retry_period")
        gracePeriodExpiresDate = fields.date("grace_period_expires_date")
        priceIncreaseStatus = (fields.integer("price_increase_status") ?? fields.integer("price_consent_status"))
            .map(PriceIncreaseStatus.init(rawValue:))
        offer = InAppPurchase.Offer(
            promotionalOfferId: fields.text("promotional_offer_id"),
            offerCodeRefName: fields.text("offer_code_ref_name"), isTrialPeriod: false, isInIntroOfferPeriod: false)
    }
}
