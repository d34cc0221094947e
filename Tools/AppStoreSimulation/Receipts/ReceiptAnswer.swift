package import AppStoreModel
package import Primitives

/// The answer of verifyReceipt to a receipt that it accepts.
/// https://developer.apple.com/documentation/appstorereceipts/responsebody
package struct ReceiptAnswer: Sendable {
    private let receipt: AppReceipt
    private let account: AccountPurchases
    private let requestDate: Instant
    /// Whether the request has the shared secret: only then is the newest state told.
    package var statesLatest = false
    /// Whether `latest_receipt_info` has only the newest row of each subscription.
    package var excludesOld = false

    /// - Parameters:
    ///   - receipt: the receipt of the request, perhaps an old one.
    ///   - requestDate: the current time of the store.
    package init(_ receipt: AppReceipt, of account: AccountPurchases, requestDate: Instant) {
        self.receipt = receipt
        self.account = account
        self.requestDate = requestDate
    }

    /// - Parameter signer: the signer of `latest_receipt`.
    package func json(signedBy signer: ReceiptSigner) throws -> JSONValue {
        var members = [JSONValue.Member("status", .integer(0))]
        members.add("environment", receipt.environment?.rawValue)
        members.append(.init("receipt", .object(decodedReceipt)))
        if statesLatest, !account.subscriptions.isEmpty {
            let rows = account.latestRows(excludingOld: excludesOld)
            members.append(.init("latest_receipt_info", .array(rows.map(\.latestElement))))
            members.add("latest_receipt", try latestReceipt(signer))
            members.append(.init("pending_renewal_info", .array(account.pendingRenewals(at: requestDate))))
        }
        return .object(members)
    }

    /// The receipt now, of the same type as the one of the request.
    private func latestReceipt(_ signer: ReceiptSigner) throws -> String {
        guard !account.habits.leavesLatestReceiptEmpty else { return "" }
        var request = ReceiptRequest()
        request.type = receipt.receiptType.flatMap(ReceiptType.init)
        request.expirationDate = receipt.expirationDate
        return Base64.encode(try signer.sign(account.receipt(request, createdAt: requestDate)))
    }

    private var decodedReceipt: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        members.add("receipt_type", receipt.receiptType)
        members.append(.init("adam_id", .integer(receipt.appItemId ?? 0)))
        members.append(.init("app_item_id", .integer(receipt.appItemId ?? 0)))
        members.add("bundle_id", receipt.bundleId)
        members.add("application_version", receipt.applicationVersion)
        members.append(.init("download_id", .integer(receipt.attributes.integer(.downloadId) ?? 0)))
        let version = receipt.attributes.integer(.versionExternalIdentifier) ?? 0
        members.append(.init("version_external_identifier", .integer(version)))
        members.add("receipt_creation_date", receipt.receiptCreationDate)
        members.add("request_date", requestDate)
        members.add("original_purchase_date", receipt.originalPurchaseDate)
        members.add("original_application_version", receipt.originalApplicationVersion)
        members.add("expiration_date", receipt.expirationDate)
        members.append(.init("in_app", .array(inApp)))
        return members
    }

    /// The rows of the receipt itself, however old, with cancellations since.
    private var inApp: [JSONValue] {
        let current = Dictionary(account.rows.map { ($0.transactionId, $0) }) { first, _ in first }
        return receipt.inApp.compactMap(ReceiptRow.init).map { row in
            var row = row
            row.cancellation = current[row.transactionId]?.cancellation ?? row.cancellation
            row.ownership = current[row.transactionId]?.ownership
            return row.inAppElement
        }
    }
}
