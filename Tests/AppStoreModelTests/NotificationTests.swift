import AppStoreModel
import Primitives
import Testing

@Suite("Notification")
struct NotificationTests {
    static let table = FieldTable<Notification>(
        fields: [
            Field("notificationType", #""DID_CHANGE_RENEWAL_PREF""#, \.notificationType, .didChangeRenewalPref),
            Field("subtype", #""DOWNGRADE""#, \.subtype, .downgrade),
            Field(
                "notificationUUID", #""15101c57-7b3d-49c2-8adf-74ac2740ea8c""#, \.notificationUUID,
                "15101c57-7b3d-49c2-8adf-74ac2740ea8c"),
            Field("version", #""2.0""#, \.version, "2.0"),
            Field("signedDate", "1759295318001", \.signedDate, .at(1_759_295_318_001)),
        ],
        decode: { try Notification($0, mistyped: $1) })

    static let data = FieldTable<Notification>(
        fields: [
            Field("appAppleId", "1470168868", \.data?.appAppleId, 1_470_168_868),
            Field("bundleId", #""com.example.app""#, \.data?.bundleId, "com.example.app"),
            Field("bundleVersion", #""25""#, \.data?.bundleVersion, "25"),
            Field("environment", #""Sandbox""#, \.data?.environment, .sandbox),
            Field(
                "signedTransactionInfo", #""aaaa.bbbb.cccc""#, \.data?.signedTransactionInfo,
                Array("aaaa.bbbb.cccc".utf8)),
            Field("signedRenewalInfo", #""dddd.eeee.ffff""#, \.data?.signedRenewalInfo, Array("dddd.eeee.ffff".utf8)),
            Field("status", "4", \.data?.status, .gracePeriod),
            Field(
                "consumptionRequestReason", #""UNSATISFIED_WITH_PURCHASE""#, \.data?.consumptionRequestReason,
                .unsatisfiedWithPurchase),
        ],
        opening: #"{"data":"#, closing: "}", decode: { try Notification($0, mistyped: $1) })

    static let summary = FieldTable<Notification>(
        fields: [
            Field("requestIdentifier", #""request""#, \.summary?.requestIdentifier, "request"),
            Field("environment", #""Production""#, \.summary?.environment, .production),
            Field("appAppleId", "41234", \.summary?.appAppleId, 41_234),
            Field("bundleId", #""com.example.app""#, \.summary?.bundleId, "com.example.app"),
            Field("productId", #""com.example.pro""#, \.summary?.productId, "com.example.pro"),
            Field(
                "storefrontCountryCodes", #"["CAN","USA","MEX"]"#, \.summary?.storefrontCountryCodes,
                ["CAN", "USA", "MEX"]),
            Field("succeededCount", "5", \.summary?.succeededCount, 5),
            Field("failedCount", "2", \.summary?.failedCount, 2),
        ],
        opening: #"{"summary":"#, closing: "}", decode: { try Notification($0, mistyped: $1) })

    static let externalPurchaseToken = FieldTable<Notification>(
        fields: [
            Field("externalPurchaseId", #""b2158121""#, \.externalPurchaseToken?.externalPurchaseId, "b2158121"),
            Field(
                "tokenCreationDate", "1759295318002", \.externalPurchaseToken?.tokenCreationDate,
                .at(1_759_295_318_002)),
            Field("appAppleId", "55555", \.externalPurchaseToken?.appAppleId, 55_555),
            Field("bundleId", #""com.example.app""#, \.externalPurchaseToken?.bundleId, "com.example.app"),
            Field("tokenType", #""ACQUISITION""#, \.externalPurchaseToken?.tokenType, "ACQUISITION"),
            Field(
                "tokenExpirationDate", "1759295318003", \.externalPurchaseToken?.tokenExpirationDate,
                .at(1_759_295_318_003)),
        ],
        opening: #"{"externalPurchaseToken":"#, closing: "}", decode: { try Notification($0, mistyped: $1) })

    static let appData = FieldTable<Notification>(
        fields: [
            Field("appAppleId", "41234", \.appData?.appAppleId, 41_234),
            Field("bundleId", #""com.example.app""#, \.appData?.bundleId, "com.example.app"),
            Field("environment", #""Production""#, \.appData?.environment, .production),
            Field(
                "signedAppTransactionInfo", #""gggg.hhhh.iiii""#, \.appData?.signedAppTransactionInfo,
                Array("gggg.hhhh.iiii".utf8)),
        ],
        opening: #"{"appData":"#, closing: "}", decode: { try Notification($0, mistyped: $1) })

    @Test(arguments: [table, data, summary, externalPurchaseToken, appData])
    func `every field is read, and each may be missing`(table: FieldTable<Notification>) throws {
        try table.check()
    }

    @Test(arguments: ["data", "summary", "appData"])
    func `the app and the environment are those of the part that is there`(part: String) throws {
        let notification = try notification(
            #"{"\#(part)":{"bundleId":"com.example.app","appAppleId":7,"environment":"LocalTesting"}}"#)
        #expect(notification.bundleId == "com.example.app")
        #expect(notification.appAppleId == 7)
        #expect(notification.environment == .localTesting)
    }

    @Test(arguments: [
        ("SANDBOX_b2158121-7af9-49d4-9561-1f588205523e", Environment.sandbox), ("SANDBOX", .sandbox),
        ("b2158121-7af9-49d4-9561-1f588205523e", .production), ("sandbox_1", .production), ("X_SANDBOX", .production),
    ])
    func `the environment of a token is told by its prefix`(id: String, environment: Environment) throws {
        let notification = try notification(
            #"{"externalPurchaseToken":{"bundleId":"com.example.app","appAppleId":7,"externalPurchaseId":"\#(id)"}}"#)
        #expect(notification.bundleId == "com.example.app")
        #expect(notification.appAppleId == 7)
        #expect(notification.environment == environment)
    }

    @Test(arguments: [
        "{}", #"{"data":{}}"#, #"{"data":null}"#, #"{"externalPurchaseToken":{}}"#,
        #"{"bundleId":"com.example.app","environment":"Sandbox","appAppleId":7}"#,
    ])
    func `without a part that names them, app and environment are absent`(text: String) throws {
        let notification = try notification(text)
        #expect(notification.bundleId == nil)
        #expect(notification.appAppleId == nil)
        #expect(notification.environment == nil)
    }

    @Test func `a nested JWS is decoded where it was written with escapes`() throws {
        let notification = try notification(#"{"data":{"signedTransactionInfo":"a\u002eb\u002ec"}}"#)
        #expect(notification.data?.signedTransactionInfo == Array("a.b.c".utf8))
    }

    private func notification(_ text: String) throws -> Notification {
        try Notification(JSONDocument(parsing: Array(text.utf8)).root)
    }
}
