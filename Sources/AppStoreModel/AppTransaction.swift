package import Primitives

/// JWSAppTransaction: the download of the app itself.
/// https://developer.apple.com/documentation/storekit/apptransaction
package struct AppTransaction: Sendable {
    /// The signed JSON, including fields and values that this version does not recognize.
    package let payload: JSONView

    /// The environment of this payload.
    package let receiptType: Environment?
    package let appAppleId: Int64?
    package let bundleId: String?
    package let applicationVersion: String?
    package let versionExternalIdentifier: Int64?
    /// The counterpart of signedDate in other payloads.
    package let receiptCreationDate: Instant?
    package let originalPurchaseDate: Instant?
    /// Always "1.0" in sandbox.
    package let originalApplicationVersion: String?
    package let originalPlatform: OriginalPlatform?
    package let preorderDate: Instant?
    package let appTransactionId: String?
    package let requestDate: Instant?
    package let deviceVerification: String?
    package let deviceVerificationNonce: String?

    package init(_ payload: JSONView) throws(PayloadError) {
        try self.init(payload, mistyped: .refused)
    }

    package init(
        _ payload: JSONView, mistyped: MistypedClaims, unverified: UnverifiedWords? = nil
    ) throws(PayloadError) {
        let reader = try PayloadReader(payload, mistyped: mistyped, unverified: unverified)
        self.payload = payload
        receiptType = try reader.vocabulary("receiptType")
        appAppleId = try reader.integer("appAppleId")
        bundleId = try reader.string("bundleId")
        applicationVersion = try reader.string("applicationVersion")
        versionExternalIdentifier = try reader.integer("versionExternalIdentifier")
        receiptCreationDate = try reader.date("receiptCreationDate")
        originalPurchaseDate = try reader.date("originalPurchaseDate")
        originalApplicationVersion = try reader.string("originalApplicationVersion")
        originalPlatform = try reader.vocabulary("originalPlatform")
        preorderDate = try reader.date("preorderDate")
        appTransactionId = try reader.string("appTransactionId")
        requestDate = try reader.date("requestDate")
        deviceVerification = try reader.string("deviceVerification")
        deviceVerificationNonce = try reader.string("deviceVerificationNonce")
    }
}
