/// The numbered preset dictionaries for deflating evidence. The bytes of a number never change, since stored evidence
/// depends on them. A better dictionary gets a new number.
package enum PackingDictionary {
    package static let current: UInt8 = 1

    package static func bytes(number: UInt8) -> [UInt8]? {
        number == 1 ? one : nil
    }

    /// Field names and values in the order in which Apple signs them. The most frequent ones come last, since RFC 1951
    /// gives near matches shorter codes.
    private static let one = Array(
        [
            #""advancedCommerceInfo":{"requestReferenceId":"","taxCode":"","taxRate":"","taxExclusivePrice":"#,
            #","estimatedTax":,"period":"P1M","descriptors":{"description":"","displayName":""},"items":[{"SKU":"#,
            #""commitmentInfo":{"billingPeriodNumber":1,"totalBillingPeriods":12,"commitmentExpiresDate":17"#,
            #","commitmentPrice":,"commitmentAutoRenewProductId":"","commitmentAutoRenewStatus":1"#,
            #","commitmentRenewalDate":17,"commitmentRenewalPrice":,"billingPlanType":"MONTHLY""BILLED_UPFRONT""#,
            #""deviceVerification":"","deviceVerificationNonce":"","appAccountToken":"","#,
            #""previousOriginalTransactionId":"","requestDate":17,"receiptType":"Production","#,
            #""applicationVersion":"1","originalApplicationVersion":"1.0","originalPlatform":"iOS","#,
            #""receiptCreationDate":17,"versionExternalIdentifier":"Non-Consumable""Consumable""#,
            #""Non-Renewing Subscription""FAMILY_SHARED""REFUND_PRORATED""REFUND_FULL""FAMILY_REVOKE""#,
            #""eligibleWinBackOfferIds":[""],"priceIncreaseStatus":0,"consumptionRequestReason":"OTHER""#,
            #""isUpgraded":true,"revocationReason":0,"revocationDate":17,"revocationType":"revocationPercentage":100000"#,
            #""offerType":1,"offerIdentifier":"","offerDiscountType":"FREE_TRIAL""PAY_AS_YOU_GO""PAY_UP_FRONT""#,
            #","offerPeriod":"P1W","P1M","P1Y","gracePeriodExpiresDate":17,"isInBillingRetryPeriod":false"#,
            #","expirationIntent":1,"CONSUMPTION_REQUEST""ONE_TIME_CHARGE""OFFER_REDEEMED""PRICE_INCREASE""#,
            #""REFUND_REVERSED""REFUND""REVOKE""RENEWAL_EXTENDED""GRACE_PERIOD_EXPIRED""SUBSCRIBED","subtype":""#,
            #""INITIAL_BUY""RESUBSCRIBE""UPGRADE""DOWNGRADE""DID_CHANGE_RENEWAL_PREF""DID_CHANGE_RENEWAL_STATUS""#,
            #""AUTO_RENEW_ENABLED""AUTO_RENEW_DISABLED""EXPIRED""VOLUNTARY""BILLING_RETRY""BILLING_RECOVERY""#,
            #""DID_FAIL_TO_RENEW","subtype":"GRACE_PERIOD""GBR""DEU""JPN""CHN""FRA""CAN""AUS""EUR""GBP""JPY""CNY""#,
            #"{"notificationType":"DID_RENEW","notificationUUID":"","data":{"appAppleId":1,"bundleId":"com."#,
            #"","bundleVersion":"1","environment":"Sandbox","environment":"Production","signedTransactionInfo":"""#,
            #","signedRenewalInfo":"","status":1},"version":"2.0","signedDate":17}"#,
            #"{"transactionId":"2000000","originalTransactionId":"2000000","webOrderLineItemId":"2000000"#,
            #"","bundleId":"com.","productId":"com.","subscriptionGroupIdentifier":"2","purchaseDate":17"#,
            #","originalPurchaseDate":17,"expiresDate":17,"quantity":1,"type":"Auto-Renewable Subscription"#,
            #"","inAppOwnershipType":"PURCHASED","signedDate":17,"environment":"Production","transactionReason":"#,
            #""PURCHASE","transactionReason":"RENEWAL","storefront":"USA","storefrontId":"143441","price":"#,
            #","currency":"USD","appTransactionId":"70"}{"originalTransactionId":"2000000","autoRenewProductId":"com."#,
            #"","productId":"com.","autoRenewStatus":1,"renewalPrice":,"currency":"USD","signedDate":17"#,
            #","environment":"Production","recentSubscriptionStartDate":17,"renewalDate":17"#,
            #","appTransactionId":"70"}"#,
        ].joined().utf8)
}
