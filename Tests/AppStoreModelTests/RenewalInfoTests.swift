import AppStoreModel
import Primitives
import Testing

@Suite("RenewalInfo")
struct RenewalInfoTests {
    static let table = FieldTable<RenewalInfo>(
        fields: [
            Field("originalTransactionId", #""2000000000000001""#, \.originalTransactionId, "2000000000000001"),
            Field("productId", #""com.example.pro""#, \.productId, "com.example.pro"),
            Field("autoRenewProductId", #""com.example.lite""#, \.autoRenewProductId, "com.example.lite"),
            Field("autoRenewStatus", "1", \.autoRenewStatus, .on),
            Field("expirationIntent", "3", \.expirationIntent, .priceNotAccepted),
            Field("isInBillingRetryPeriod", "false", \.isInBillingRetryPeriod, false),
            Field("gracePeriodExpiresDate", "1759295318001", \.gracePeriodExpiresDate, .at(1_759_295_318_001)),
            Field("renewalDate", "1759295318002", \.renewalDate, .at(1_759_295_318_002)),
            Field("renewalPrice", "5990", \.renewalPrice, 5_990),
            Field("currency", #""AUD""#, \.currency, "AUD"),
            Field("priceIncreaseStatus", "0", \.priceIncreaseStatus, .pending),
            Field("offerType", "2", \.offerType, .promotional),
            Field("offerIdentifier", #""promo""#, \.offerIdentifier, "promo"),
            Field("offerDiscountType", #""FREE_TRIAL""#, \.offerDiscountType, .freeTrial),
            Field("offerPeriod", #""P1Y""#, \.offerPeriod, "P1Y"),
            Field("eligibleWinBackOfferIds", #"["best","second"]"#, \.eligibleWinBackOfferIds, ["best", "second"]),
            Field(
                "recentSubscriptionStartDate", "1759295318003", \.recentSubscriptionStartDate,
                .at(1_759_295_318_003)),
            Field(
                "appAccountToken", #""7e3fb20b-4cdb-47cc-936d-99d65f608138""#, \.appAccountToken,
                "7e3fb20b-4cdb-47cc-936d-99d65f608138"),
            Field("appTransactionId", #""704897469903383919""#, \.appTransactionId, "704897469903383919"),
            Field("environment", #""Production""#, \.environment, .production),
            Field("signedDate", "1759295318004", \.signedDate, .at(1_759_295_318_004)),
            Field("renewalBillingPlanType", #""BILLED_UPFRONT""#, \.renewalBillingPlanType, .billedUpfront),
            Field("deviceVerification", #""u+W1oQTqvFHO""#, \.deviceVerification, "u+W1oQTqvFHO"),
            Field(
                "deviceVerificationNonce", #""3439919e-87c9-47b6-aeee-2823f7a9d3c3""#, \.deviceVerificationNonce,
                "3439919e-87c9-47b6-aeee-2823f7a9d3c3"),
        ],
        decode: { try RenewalInfo($0, mistyped: $1) })

    static let commitment = FieldTable<RenewalInfo>(
        fields: [
            Field(
                "commitmentAutoRenewProductId", #""com.example.next""#,
                \.commitmentInfo?.commitmentAutoRenewProductId, "com.example.next"),
            Field("commitmentAutoRenewStatus", "0", \.commitmentInfo?.commitmentAutoRenewStatus, .off),
            Field(
                "commitmentRenewalBillingPlanType", #""MONTHLY""#,
                \.commitmentInfo?.commitmentRenewalBillingPlanType, .monthly),
            Field(
                "commitmentRenewalDate", "1759295318005", \.commitmentInfo?.commitmentRenewalDate,
                .at(1_759_295_318_005)),
            Field("commitmentRenewalPrice", "119880", \.commitmentInfo?.commitmentRenewalPrice, 119_880),
        ],
        opening: #"{"commitmentInfo":"#, closing: "}", decode: { try RenewalInfo($0, mistyped: $1) })

    static let advancedCommerce = FieldTable<RenewalInfo>(
        fields: [
            Field("consistencyToken", #""token""#, \.advancedCommerceInfo?.consistencyToken, "token"),
            Field("requestReferenceId", #""ref""#, \.advancedCommerceInfo?.requestReferenceId, "ref"),
            Field("taxCode", #""C003-00-2""#, \.advancedCommerceInfo?.taxCode, "C003-00-2"),
            Field("period", #""P6M""#, \.advancedCommerceInfo?.period, "P6M"),
            Field("descriptors", #"{"description":"Long"}"#, \.advancedCommerceInfo?.descriptors?.description, "Long"),
            Field("items", #"[{"SKU":"sku"}]"#, \.advancedCommerceInfo?.items?.first?.SKU, "sku"),
        ],
        opening: #"{"advancedCommerceInfo":"#, closing: "}", decode: { try RenewalInfo($0, mistyped: $1) })

    static let item = FieldTable<RenewalInfo>(
        fields: [
            Field("SKU", #""sku.1""#, \.advancedCommerceInfo?.items?.first?.SKU, "sku.1"),
            Field("description", #""Long""#, \.advancedCommerceInfo?.items?.first?.description, "Long"),
            Field("displayName", #""Short""#, \.advancedCommerceInfo?.items?.first?.displayName, "Short"),
            Field("price", "9990", \.advancedCommerceInfo?.items?.first?.price, 9_990),
            Field("offer", #"{"period":"P2M"}"#, \.advancedCommerceInfo?.items?.first?.offer?.period, "P2M"),
            Field(
                "priceIncreaseInfo", #"{"status":"PENDING"}"#,
                \.advancedCommerceInfo?.items?.first?.priceIncreaseInfo?.status, "PENDING"),
        ],
        opening: #"{"advancedCommerceInfo":{"items":["#, closing: "]}}", decode: { try RenewalInfo($0, mistyped: $1) })

    static let priceIncrease = FieldTable<RenewalInfo>(
        fields: [
            Field(
                "dependentSKUs", #"["a","b"]"#,
                \.advancedCommerceInfo?.items?.first?.priceIncreaseInfo?.dependentSKUs, ["a", "b"]),
            Field("price", "10990", \.advancedCommerceInfo?.items?.first?.priceIncreaseInfo?.price, 10_990),
            Field(
                "status", #""SCHEDULED""#, \.advancedCommerceInfo?.items?.first?.priceIncreaseInfo?.status,
                "SCHEDULED"),
        ],
        opening: #"{"advancedCommerceInfo":{"items":[{"priceIncreaseInfo":"#, closing: "}]}}",
        decode: { try RenewalInfo($0, mistyped: $1) })

    @Test func `every field is read, and each may be missing`() throws {
        try Self.table.check()
    }

    @Test(arguments: [commitment, advancedCommerce, item, priceIncrease])
    func `every field of the objects within is read`(table: FieldTable<RenewalInfo>) throws {
        try table.check()
    }
}
