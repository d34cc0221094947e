package import Primitives

/// A notification of version 1. It is not signed; a password that the developer shares with Apple is its only proof.
/// https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv1
package struct NotificationV1: Sendable {
    package let document: JSONView
    package let notificationType: String
    /// Production or Sandbox; nil for any other.
    package let environment: Environment?
    package let bundleId: String?
    package let originalTransactionId: String?
    package let password: String?
    /// The purchases, each transactionId once.
    package let rows: [VerifyReceiptAnswer.Row]
    package let renewals: [VerifyReceiptAnswer.Element]
    /// The number of rows and elements that cannot be read.
    package let unreadable: Int
    /// The number of formatted dates that contradict their milliseconds.
    package let contradictions: Int
    /// The member whose value has another shape than Apple's; nil without one.
    package let malformedMember: String?
    /// The newest receipt, in base64.
    package let latestReceipt: String?
    package let autoRenewStatus: String?
    package let autoRenewStatusChangeDate: Instant?
    package let autoRenewProductId: String?
    package let expirationIntent: String?

    /// Creates a notification; nil for JSON without `notification_type`.
    package init?(_ document: JSONView) {
        guard let type = document["notification_type"]?.string else { return nil }
        self.document = document
        notificationType = type
        let (fields, unified) = (ReceiptFields(document), document["unified_receipt"])
        environment = Self.environment(named: fields.text("environment"))
        password = document["password"]?.string
        autoRenewStatus =
            document["auto_renew_status"]?.bool.map { $0 ? "true" : "false" } ?? fields.text("auto_renew_status")
        autoRenewStatusChangeDate = fields.date("auto_renew_status_change_date")
        autoRenewProductId = fields.text("auto_renew_product_id")
        expirationIntent = fields.text("expiration_intent")
        latestReceipt =
            [unified?["latest_receipt"], document["latest_receipt"], document["latest_expired_receipt"]].lazy
            .compactMap { $0?.string.flatMap { $0.isEmpty ? nil : $0 } }.first

        var reading = ReceiptReading()
        reading.rows(unified?["latest_receipt_info"], "unified_receipt/latest_receipt_info")
        for name in ["latest_receipt_info", "latest_expired_receipt_info"] as [StaticString] {
            reading.rows(document[name], "\(name)")
        }
        let rows = reading.takeRows().map { $0.cancelled(as: fields) }
        let id = fields.text("original_transaction_id") ?? rows.newest?.originalTransactionId
        renewals = reading.elements(
            [
                (unified?["pending_renewal_info"], "unified_receipt/pending_renewal_info"),
                (document["pending_renewal_info"], "pending_renewal_info"),
            ], orThoseOf: document, about: id, rows.newest(of: id)?.productId)
        self.rows = rows
        (unreadable, contradictions) = (reading.unreadable, reading.contradictions)
        malformedMember =
            reading.malformedMember ?? (unified.map { $0.isNull || $0.isObject } ?? true ? nil : "unified_receipt")
        originalTransactionId = id
        bundleId = fields.text("bid") ?? Self.bundleId(ofRowsIn: document)
    }

    /// Version 1 has a name of its own for Production.
    private static func environment(named name: String?) -> Environment? {
        switch name {
        case "PROD": .production
        case let name?: Environment(known: name).flatMap { $0 == .production || $0 == .sandbox ? $0 : nil }
        case nil: nil
        }
    }

    /// Rows of the older style name the app.
    private static func bundleId(ofRowsIn document: JSONView) -> String? {
        ["latest_receipt_info", "latest_expired_receipt_info"].lazy
            .compactMap { name in document.members.first { $0.key == name }?.value["bid"]?.string }
            .first { !$0.isEmpty }
    }
}

extension NotificationV1 {
    /// The time of the change: the greatest past date in the notification. The end of a period lies ahead, unless its
    /// renewal failed. Nil without any date.
    package var newestDate: Instant? {
        let purchases = rows.map(\.purchase)
        var dates = purchases.flatMap { [$0.purchaseDate, $0.cancellationDate] } + [autoRenewStatusChangeDate]
        if notificationType == "DID_FAIL_TO_RENEW" { dates += purchases.map(\.expiresDate) }
        return dates.compactMap(\.self).max()
    }

    /// The newest purchase of the subscription that the notification is about.
    package var newestRow: InAppPurchase? { rows.newest(of: originalTransactionId) }
}

extension VerifyReceiptAnswer.Row {
    /// Returns the row with the cancellation that the notification itself states about the row's line item.
    fileprivate func cancelled(as fields: ReceiptFields) -> Self {
        guard let item = fields.text("web_order_line_item_id"), item == purchase.webOrderLineItemId,
            let date = fields.date("cancellation_date"), purchase.cancellationDate == nil
        else { return self }
        var purchase = purchase
        purchase.cancellationDate = date
        purchase.cancellationReason = fields.integer("cancellation_reason").map(RevocationReason.init(rawValue:))
        return Self(path: path, purchase: purchase)
    }
}
