@_spi(Verification) import AppStoreModel
import LedgerModel
import Primitives

/// A payload as if its signature had been verified, named by the digest of its text.
func signed<Payload>(_ json: String, _ decode: (JSONView) throws -> Payload) throws -> SignedPayload<Payload> {
    let payload = try decode(JSONDocument(parsing: Array(json.utf8)).root)
    return SignedPayload(Verified(payload: payload), digest: .sha256(of: json.utf8))
}

func transaction(_ json: String) throws -> SignedPayload<Transaction> { try signed(json, Transaction.init) }
func renewalInfo(_ json: String) throws -> SignedPayload<RenewalInfo> { try signed(json, RenewalInfo.init) }
func notification(_ json: String) throws -> SignedPayload<Notification> { try signed(json, Notification.init) }
func appTransaction(_ json: String) throws -> SignedPayload<AppTransaction> { try signed(json, AppTransaction.init) }

let translation = Translation(position: 7, recordedAt: Instant(milliseconds: 8))

let subscription = TimelineKey.subscription(
    SubscriptionKey(environment: .sandbox, bundleId: "com.example", originalTransactionId: "10"))

let transactionText = """
    {"transactionId":"11","originalTransactionId":"10","webOrderLineItemId":"12","bundleId":"com.example",\
    "productId":"pro","subscriptionGroupIdentifier":"G","purchaseDate":100,"originalPurchaseDate":50,\
    "expiresDate":200,"quantity":1,"type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED",\
    "signedDate":150,"environment":"Sandbox","transactionReason":"RENEWAL","storefront":"AUS",\
    "storefrontId":"143460","price":1990,"currency":"AUD","appTransactionId":"A","appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138",\
    "isUpgraded":true,"revocationDate":160,"revocationReason":1,"revocationType":"REFUND_PRORATED",\
    "revocationPercentage":40000,"offerType":2,"offerIdentifier":"O","offerDiscountType":"PAY_AS_YOU_GO",\
    "offerPeriod":"P1M","previousOriginalTransactionId":"9","billingPlanType":"MONTHLY","commitmentInfo":\
    {"billingPeriodNumber":3,"totalBillingPeriods":12,"commitmentExpiresDate":800,"commitmentPrice":23880},\
    "advancedCommerceInfo":{"items":[{"SKU":"news"},{"SKU":"sports","revocationDate":155}]}}
    """

let renewalText = """
    {"originalTransactionId":"10","autoRenewProductId":"basic","productId":"pro","autoRenewStatus":1,\
    "expirationIntent":2,"isInBillingRetryPeriod":true,"gracePeriodExpiresDate":300,"renewalDate":200,\
    "recentSubscriptionStartDate":50,"priceIncreaseStatus":0,"eligibleWinBackOfferIds":["w1","w2"],\
    "appAccountToken":"7e3fb20b-4cdb-47cc-936d-99d65f608138","appTransactionId":"A","signedDate":151,"environment":"Sandbox",\
    "renewalPrice":1990,"currency":"AUD","offerType":2,"offerIdentifier":"N","offerDiscountType":"PAY_UP_FRONT",\
    "offerPeriod":"P3M","renewalBillingPlanType":"MONTHLY","commitmentInfo":{"commitmentAutoRenewStatus":0,\
    "commitmentAutoRenewProductId":"pro","commitmentRenewalBillingPlanType":"BILLED_UPFRONT",\
    "commitmentRenewalDate":900,"commitmentRenewalPrice":9990}}
    """

let notificationText = """
    {"notificationType":"DID_FAIL_TO_RENEW","subtype":"GRACE_PERIOD","notificationUUID":"U","version":"2.0",\
    "signedDate":152,"data":{"bundleId":"com.example","environment":"Sandbox","status":4}}
    """

let appText = """
    {"receiptType":"Sandbox","bundleId":"com.example","receiptCreationDate":99,"originalPurchaseDate":5,\
    "originalApplicationVersion":"1.0","originalPlatform":"iOS","preorderDate":4,"appTransactionId":"A"}
    """
