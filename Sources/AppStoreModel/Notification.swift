package import Primitives

/// responseBodyV2DecodedPayload: an App Store Server Notification, version 2.
/// https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload
package struct Notification: Sendable {
    /// The signed JSON, including fields and values that this version does not recognize.
    package let payload: JSONView

    package let notificationType: NotificationType?
    package let subtype: Subtype?
    /// Identical on every retry.
    package let notificationUUID: String?
    package let version: String?
    package let signedDate: Instant?
    package let data: Data?
    package let summary: Summary?
    package let externalPurchaseToken: ExternalPurchaseToken?
    package let appData: AppData?

    package init(_ payload: JSONView) throws(PayloadError) {
        try self.init(payload, mistyped: .refused)
    }

    package init(
        _ payload: JSONView, mistyped: MistypedClaims, unverified: UnverifiedWords? = nil
    ) throws(PayloadError) {
        let reader = try PayloadReader(payload, mistyped: mistyped, unverified: unverified)
        self.payload = payload
        notificationType = try reader.vocabulary("notificationType")
        subtype = try reader.vocabulary("subtype")
        notificationUUID = try reader.string("notificationUUID")
        version = try reader.string("version")
        signedDate = try reader.date("signedDate")
        data = try reader.object("data", Data.init)
        summary = try reader.object("summary", Summary.init)
        externalPurchaseToken = try reader.object("externalPurchaseToken", ExternalPurchaseToken.init)
        appData = try reader.object("appData", AppData.init)
    }

    /// The app's bundle id. Apple sends exactly one of the four parts, which names the app.
    package var bundleId: String? {
        data?.bundleId ?? summary?.bundleId ?? externalPurchaseToken?.bundleId ?? appData?.bundleId
    }

    package var appAppleId: Int64? {
        data?.appAppleId ?? summary?.appAppleId ?? externalPurchaseToken?.appAppleId ?? appData?.appAppleId
    }

    package var environment: Environment? {
        data?.environment ?? summary?.environment ?? externalPurchaseToken?.environment ?? appData?.environment
    }

    /// The instant until which the App Store accepts an answer; nil for types that request none.
    ///
    /// A request for consumption information must be answered within 12 hours:
    /// https://developer.apple.com/documentation/appstoreserverapi/send-consumption-information
    package var deadline: Instant? {
        guard notificationType == .consumptionRequest else { return nil }
        return signedDate?.advanced(byMilliseconds: 12 * 3_600_000)
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
        /// The status at the payload's signedDate; auto-renewables only.
        package let status: SubscriptionStatusCode?
        package let consumptionRequestReason: ConsumptionRequestReason?

        init(_ reader: PayloadReader) throws(PayloadError) {
            appAppleId = try reader.integer("appAppleId")
            bundleId = try reader.string("bundleId")
            bundleVersion = try reader.string("bundleVersion")
            environment = try reader.vocabulary("environment")
            signedTransactionInfo = try reader.jws("signedTransactionInfo")
            signedRenewalInfo = try reader.jws("signedRenewalInfo")
            status = try reader.vocabulary("status")
            consumptionRequestReason = try reader.vocabulary("consumptionRequestReason")
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

        init(_ reader: PayloadReader) throws(PayloadError) {
            requestIdentifier = try reader.string("requestIdentifier")
            environment = try reader.vocabulary("environment")
            appAppleId = try reader.integer("appAppleId")
            bundleId = try reader.string("bundleId")
            productId = try reader.string("productId")
            storefrontCountryCodes = try reader.strings("storefrontCountryCodes")
            succeededCount = try reader.integer("succeededCount")
            failedCount = try reader.integer("failedCount")
        }
    }

    package struct ExternalPurchaseToken: Sendable {
        package let externalPurchaseId: String?
        package let tokenCreationDate: Instant?
        package let appAppleId: Int64?
        package let bundleId: String?
        package let tokenType: String?
        package let tokenExpirationDate: Instant?

        /// Derived from the id, because no claim states it: sandbox tokens begin with SANDBOX.
        package var environment: Environment? {
            externalPurchaseId.map { $0.hasPrefix("SANDBOX") ? .sandbox : .production }
        }

        init(_ reader: PayloadReader) throws(PayloadError) {
            externalPurchaseId = try reader.string("externalPurchaseId")
            tokenCreationDate = try reader.date("tokenCreationDate")
            appAppleId = try reader.integer("appAppleId")
            bundleId = try reader.string("bundleId")
            tokenType = try reader.string("tokenType")
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

        init(_ reader: PayloadReader) throws(PayloadError) {
            appAppleId = try reader.integer("appAppleId")
            bundleId = try reader.string("bundleId")
            environment = try reader.vocabulary("environment")
            signedAppTransactionInfo = try reader.jws("signedAppTransactionInfo")
        }
    }
}
