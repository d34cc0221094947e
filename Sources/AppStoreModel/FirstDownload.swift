package import Primitives

/// The statement of a receipt, or of an answer about one, on the download of the app itself.
package struct FirstDownload: Sendable, Hashable {
    /// The date of the first download.
    package let originalPurchaseDate: Instant?
    /// The version of the first download.
    package let originalApplicationVersion: String?
    /// The end of an app that an organisation bought and can take back.
    package let expirationDate: Instant?

    package init(originalPurchaseDate: Instant?, originalApplicationVersion: String?, expirationDate: Instant?) {
        self.originalPurchaseDate = originalPurchaseDate
        self.originalApplicationVersion = originalApplicationVersion
        self.expirationDate = expirationDate
    }

    package init(_ receipt: AppReceipt) {
        self.init(
            originalPurchaseDate: receipt.originalPurchaseDate,
            originalApplicationVersion: receipt.originalApplicationVersion, expirationDate: receipt.expirationDate)
    }

    /// Creates the statement of the `receipt` in an answer of verifyReceipt; nil for one in the older style, whose
    /// original purchase is that of a transaction.
    init?(_ fields: ReceiptFields) {
        guard let version = fields.text("original_application_version") else { return nil }
        self.init(
            originalPurchaseDate: fields.date("original_purchase_date"), originalApplicationVersion: version,
            expirationDate: fields.date("expiration_date"))
    }
}
