package import Primitives

/// responseBodyV2DecodedPayload: an App Store Server Notification, version 2.
/// https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload
package struct Notification: Sendable {
    /// The signed JSON itself, in which fields and values unknown today survive.
    package let payload: JSONView

    package let notificationType: NotificationType?
    package let subtype: Subtype?
    /// The same on every retry.
    package let notificationUUID: String?
    package let version: String?
    package let signedDate: Instant?
    package let data: Data?
    package let summary: Summary?
    package let externalPurchaseToken: ExternalPurchaseToken?
    package let appData: AppData?

    package init(_ payload: JSONView) throws(PayloadError) {
        let reader = try PayloadReader(payload)
        self.payload = payload
        notificationType = reader.vocabulary("notificationType")
        subtype = reader.vocabulary("subtype")
        notificationUUID = reader.string("notificationUUID")
        version = reader.string("version")
        signedDate = try reader.date("signedDate")
        data = try reader.object("data", Data.init)
        summary = try reader.object("summary", Summary.init)
        externalPurchaseToken = try reader.object("externalPurchaseToken", ExternalPurchaseToken.init)
        appData = try reader.object("appData", AppData.init)
    }

    /// Apple sends exactly one of the four parts; the app is named by whichever is there.
    package var bundleId: String? {
        data?.bundleId ?? summary?.bundleId ?? externalPurchaseToken?.bundleId ?? appData?.bundleId
    }

    package var appAppleId: Int64? {
        data?.appAppleId ?? summary?.appAppleId ?? externalPurchaseToken?.appAppleId ?? appData?.appAppleId
    }

    package var environment: Environment? {
        data?.environment ?? summary?.environment ?? externalPurchaseToken?.environment ?? appData?.environment
    }

    package struct Data: Sendable {
        package let appAppleId: Int64?
        package let bundleId: String?
        package let bundleVersion: String?
        package let environment: Environment?
        /// A nested JWS as its ASCII bytes.
        package let signedTransactionInfo: [UInt8]?
        /// A nested JWS as its ASCII bytes.
        package let signedRenewalInfo: [UInt8]?
        /// As of the payload's signedDate, auto-renewables only.
        package let status: SubscriptionStatusCode?
        package let consumptionRequestReason: ConsumptionRequestReason?

        init(_ payload: JSONView) throws(PayloadError) {
            let reader = try PayloadReader(payload)
            appAppleId = reader.integer("appAppleId")
            bundleId = reader.string("bundleId")
            bundleVersion = reader.string("bundleVersion")
            environment = reader.vocabulary("environment")
            signedTransactionInfo = payload.jws("signedTransactionInfo")
            signedRenewalInfo = payload.jws("signedRenewalInfo")
            status = reader.vocabulary("status")
            consumptionRequestReason = reader.vocabulary("consumptionRequestReason")
        }
    }

    /// The outcome of a mass extension: RENEWAL_EXTENSION with SUMMARY.
    package struct Summary: Sendable {
        package let requestIdentifier: String?
        package let environment: Environment?
        package let appAppleId: Int64?
        package let bundleId: String?
        package let productId: String?
        package let storefrontCountryCodes: [String]?
        package let succeededCount: Int64?
        package let failedCount: Int64?

        init(_ payload: JSONView) throws(PayloadError) {
            let reader = try PayloadReader(payload)
            requestIdentifier = reader.string("requestIdentifier")
            environment = reader.vocabulary("environment")
            appAppleId = reader.integer("appAppleId")
            bundleId = reader.string("bundleId")
            productId = reader.string("productId")
            storefrontCountryCodes = reader.strings("storefrontCountryCodes")
            succeededCount = reader.integer("succeededCount")
            failedCount = reader.integer("failedCount")
        }
    }

    package struct ExternalPurchaseToken: Sendable {
        package let externalPurchaseId: String?
        package let tokenCreationDate: Instant?
        package let appAppleId: Int64?
        package let bundleId: String?
        package let tokenType: String?
        package let tokenExpirationDate: Instant?

        /// Not signed in words: sandbox tokens begin with SANDBOX.
        package var environment: Environment? {
            externalPurchaseId.map { $0.hasPrefix("SANDBOX") ? .sandbox : .production }
        }

        init(_ payload: JSONView) throws(PayloadError) {
            let reader = try PayloadReader(payload)
            externalPurchaseId = reader.string("externalPurchaseId")
            tokenCreationDate = try reader.date("tokenCreationDate")
            appAppleId = reader.integer("appAppleId")
            bundleId = reader.string("bundleId")
            tokenType = reader.string("tokenType")
            tokenExpirationDate = try reader.date("tokenExpirationDate")
        }
    }

    /// RESCIND_CONSENT: a guardian withdrew consent for a child's use of the app.
    package struct AppData: Sendable {
        package let appAppleId: Int64?
        package let bundleId: String?
        package let environment: Environment?
        /// A nested JWS as its ASCII bytes.
        package let signedAppTransactionInfo: [UInt8]?

        init(_ payload: JSONView) throws(PayloadError) {
            let reader = try PayloadReader(payload)
            appAppleId = reader.integer("appAppleId")
            bundleId = reader.string("bundleId")
            environment = reader.vocabulary("environment")
            signedAppTransactionInfo = payload.jws("signedAppTransactionInfo")
        }
    }
}
