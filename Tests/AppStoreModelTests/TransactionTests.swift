import AppStoreModel
import Primitives
import Testing

@Suite("Transaction")
struct TransactionTests {
    static let table = FieldTable<Transaction>(
        fields: [
            Field("originalTransactionId", #""2000000000000001""#, \.originalTransactionId, "2000000000000001"),
            Field("transactionId", #""20000000000000020000""#, \.transactionId, "20000000000000020000"),
            Field("webOrderLineItemId", #""2000000000000003""#, \.webOrderLineItemId, "2000000000000003"),
            Field("bundleId", #""com.example.app""#, \.bundleId, "com.example.app"),
            Field("productId", #""com.example.pro""#, \.productId, "com.example.pro"),
            Field("subscriptionGroupIdentifier", #""21000001""#, \.subscriptionGroupIdentifier, "21000001"),
            Field("purchaseDate", "1759295318001", \.purchaseDate, .at(1_759_295_318_001)),
            Field("originalPurchaseDate", "1759295318002", \.originalPurchaseDate, .at(1_759_295_318_002)),
            Field("expiresDate", "1759295318003", \.expiresDate, .at(1_759_295_318_003)),
            Field("quantity", "10", \.quantity, 10),
            Field("type", #""Auto-Renewable Subscription""#, \.type, .autoRenewable),
            Field("inAppOwnershipType", #""FAMILY_SHARED""#, \.inAppOwnershipType, .familyShared),
            Field(
                "appAccountToken", #""7e3fb20b-4cdb-47cc-936d-99d65f608138""#, \.appAccountToken,
                "7e3fb20b-4cdb-47cc-936d-99d65f608138"),
            Field("signedDate", "1759295318004", \.signedDate, .at(1_759_295_318_004)),
            Field("revocationDate", "1759295318005", \.revocationDate, .at(1_759_295_318_005)),
            Field("revocationReason", "0", \.revocationReason, .other),
            Field("revocationType", #""REFUND_PRORATED""#, \.revocationType, .refundProrated),
            Field("revocationPercentage", "50000", \.revocationPercentage, 50_000),
            Field("isUpgraded", "true", \.isUpgraded, true),
            Field("offerType", "4", \.offerType, .winBack),
            Field("offerIdentifier", #""win1""#, \.offerIdentifier, "win1"),
            Field("offerDiscountType", #""PAY_AS_YOU_GO""#, \.offerDiscountType, .payAsYouGo),
            Field("offerPeriod", #""P3M""#, \.offerPeriod, "P3M"),
            Field("environment", #""Sandbox""#, \.environment, .sandbox),
            Field("transactionReason", #""RENEWAL""#, \.transactionReason, .renewal),
            Field("storefront", #""USA""#, \.storefront, "USA"),
            Field("storefrontId", #""143441""#, \.storefrontId, "143441"),
            Field("price", "300000", \.price, 300_000),
            Field("currency", #""JPY""#, \.currency, "JPY"),
            Field("appTransactionId", #""704897469903383919""#, \.appTransactionId, "704897469903383919"),
            Field(
                "previousOriginalTransactionId", #""2000000000000000""#, \.previousOriginalTransactionId,
                "2000000000000000"),
            Field("billingPlanType", #""MONTHLY""#, \.billingPlanType, .monthly),
            Field("deviceVerification", #""u+W1oQTqvFHO""#, \.deviceVerification, "u+W1oQTqvFHO"),
            Field(
                "deviceVerificationNonce", #""3439919e-87c9-47b6-aeee-2823f7a9d3c3""#, \.deviceVerificationNonce,
                "3439919e-87c9-47b6-aeee-2823f7a9d3c3"),
        ],
        decode: { try Transaction($0, mistyped: $1) })

    static let commitment = FieldTable<Transaction>(
        fields: [
            Field("billingPeriodNumber", "5", \.commitmentInfo?.billingPeriodNumber, 5),
            Field("totalBillingPeriods", "12", \.commitmentInfo?.totalBillingPeriods, 12),
            Field(
                "commitmentExpiresDate", "1759295318006", \.commitmentInfo?.commitmentExpiresDate,
                .at(1_759_295_318_006)),
            Field("commitmentPrice", "59880", \.commitmentInfo?.commitmentPrice, 59_880),
        ],
        opening: #"{"commitmentInfo":"#, closing: "}", decode: { try Transaction($0, mistyped: $1) })

    static let advancedCommerce = FieldTable<Transaction>(
        fields: [
            Field("requestReferenceId", #""ref""#, \.advancedCommerceInfo?.requestReferenceId, "ref"),
            Field("taxCode", #""C003-00-2""#, \.advancedCommerceInfo?.taxCode, "C003-00-2"),
            Field("taxRate", #""0.19""#, \.advancedCommerceInfo?.taxRate, "0.19"),
            Field("taxExclusivePrice", "8390", \.advancedCommerceInfo?.taxExclusivePrice, 8_390),
            Field("estimatedTax", "1600", \.advancedCommerceInfo?.estimatedTax, 1_600),
            Field("period", #""P1M""#, \.advancedCommerceInfo?.period, "P1M"),
            Field(
                "descriptors", #"{"description":"Long","displayName":"Short"}"#,
                \.advancedCommerceInfo?.descriptors?.displayName, "Short"),
            Field("items", #"[{"SKU":"sku"}]"#, \.advancedCommerceInfo?.items?.first?.SKU, "sku"),
        ],
        opening: #"{"advancedCommerceInfo":"#, closing: "}", decode: { try Transaction($0, mistyped: $1) })

    static let item = FieldTable<Transaction>(
        fields: [
            Field("SKU", #""sku.1""#, \.advancedCommerceInfo?.items?.first?.SKU, "sku.1"),
            Field("description", #""Long""#, \.advancedCommerceInfo?.items?.first?.description, "Long"),
            Field("displayName", #""Short""#, \.advancedCommerceInfo?.items?.first?.displayName, "Short"),
            Field("price", "9990", \.advancedCommerceInfo?.items?.first?.price, 9_990),
            Field("offer", #"{"reason":"WIN_BACK"}"#, \.advancedCommerceInfo?.items?.first?.offer?.reason, "WIN_BACK"),
            Field(
                "refunds", #"[null,{"refundType":"CUSTOM"}]"#,
                \.advancedCommerceInfo?.items?.first?.refunds?.first?.refundType, "CUSTOM"),
            Field(
                "revocationDate", "1759295318007", \.advancedCommerceInfo?.items?.first?.revocationDate,
                .at(1_759_295_318_007)),
        ],
        opening: #"{"advancedCommerceInfo":{"items":["#, closing: "]}}", decode: { try Transaction($0, mistyped: $1) })

    static let offer = FieldTable<Transaction>(
        fields: [
            Field("period", #""P1W""#, \.advancedCommerceInfo?.items?.first?.offer?.period, "P1W"),
            Field("periodCount", "2", \.advancedCommerceInfo?.items?.first?.offer?.periodCount, 2),
            Field("price", "990", \.advancedCommerceInfo?.items?.first?.offer?.price, 990),
            Field("reason", #""ACQUISITION""#, \.advancedCommerceInfo?.items?.first?.offer?.reason, "ACQUISITION"),
        ],
        opening: #"{"advancedCommerceInfo":{"items":[{"offer":"#, closing: "}]}}",
        decode: { try Transaction($0, mistyped: $1) })

    static let refund = FieldTable<Transaction>(
        fields: [
            Field("refundAmount", "4990", \.advancedCommerceInfo?.items?.first?.refunds?.first?.refundAmount, 4_990),
            Field(
                "refundDate", "1759295318008", \.advancedCommerceInfo?.items?.first?.refunds?.first?.refundDate,
                .at(1_759_295_318_008)),
            Field(
                "refundReason", #""OTHER""#, \.advancedCommerceInfo?.items?.first?.refunds?.first?.refundReason,
                "OTHER"),
            Field(
                "refundType", #""PRORATED""#, \.advancedCommerceInfo?.items?.first?.refunds?.first?.refundType,
                "PRORATED"),
        ],
        opening: #"{"advancedCommerceInfo":{"items":[{"refunds":["#, closing: "]}]}}",
        decode: { try Transaction($0, mistyped: $1) })

    @Test func `every field is read, and each may be missing`() throws {
        try Self.table.check()
    }

    @Test(arguments: [commitment, advancedCommerce, item, offer, refund])
    func `every field of the objects within is read`(table: FieldTable<Transaction>) throws {
        try table.check()
    }

    @Test func `descriptors are read`() throws {
        let text = #"{"advancedCommerceInfo":{"descriptors":{"description":"Long","displayName":"Short"}}}"#
        let info = try Transaction(JSONDocument(parsing: Array(text.utf8)).root).advancedCommerceInfo
        #expect(info?.descriptors?.description == "Long")
        #expect(info?.descriptors?.displayName == "Short")
    }

    @Test func `an empty object is a transaction of which nothing is known`() throws {
        let transaction = try Transaction(JSONDocument(parsing: Array("{}".utf8)).root)
        for field in Self.table.fields { #expect(field.isAbsentFrom(transaction)) }
    }

    @Test(arguments: ["[]", "1", "null", #""{}""#])
    func `anything but an object is no payload`(text: String) throws {
        let root = try JSONDocument(parsing: Array(text.utf8)).root
        #expect(throws: PayloadError.notAnObject) { try Transaction(root) }
        #expect(throws: PayloadError.notAnObject) { try RenewalInfo(root) }
        #expect(throws: PayloadError.notAnObject) { try Notification(root) }
        #expect(throws: PayloadError.notAnObject) { try AppTransaction(root) }
    }
}
