import AppStoreModel
package import Primitives

extension StoreArtifact {
    /// Returns the body of a notification of version 1. It is not signed; only the password shows who sends it.
    /// https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv1
    /// - Parameters:
    ///   - password: the shared secret.
    ///   - attempt: the number of earlier attempts. Each has another `latest_receipt` with the same content.
    package func version1Body(
        _ type: Version1Type, password: String, attempt: Int, signedBy signer: ReceiptSigner
    ) throws -> JSONValue {
        guard let account = notification?.account else { return .null }
        let subscription = account.subscriptions.first { $0.origin.originalTransactionId == originalTransactionId }
        var members: [JSONValue.Member] = []
        members.add("notification_type", type.rawValue)
        members.add("environment", account.configuration.environment == .production ? "PROD" : "Sandbox")
        members.add("password", password)
        members.add("bid", account.configuration.bundleId)
        members.add("bvrs", account.configuration.applicationVersion)
        if let id = originalTransactionId.flatMap({ Int64($0) }) {
            members.append(.init("original_transaction_id", .integer(id)))
        }
        if let subscription { members += renewal(of: subscription, type) }
        if type == .cancel, let row = cancelled(in: account) {
            members.add("web_order_line_item_id", row.webOrderLineItemId)
            members.add("cancellation_date", row.cancellation?.date)
        }
        members.append(.init("unified_receipt", try unifiedReceipt(of: account, attempt, signer)))
        return .object(members)
    }

    private func renewal(of subscription: Subscription, _ type: Version1Type) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        members.add("auto_renew_product_id", subscription.nextProduct.id)
        members.add("auto_renew_status", subscription.autoRenews ? "true" : "false")
        if type == .didChangeRenewalStatus { members.add("auto_renew_status_change_date", changeDate) }
        if subscription.phase != .active, let intent = subscription.expirationIntent {
            members.append(.init("expiration_intent", .integer(intent.rawValue)))
        }
        return members
    }

    /// Returns the row of the subscription that the change has cancelled: refunded, or replaced by another plan.
    private func cancelled(in account: AccountPurchases) -> ReceiptRow? {
        account.rows.filter { $0.originalTransactionId == originalTransactionId && $0.cancellation != nil }
            .max { ($0.cancellation?.date ?? .earliest) < ($1.cancellation?.date ?? .earliest) }
    }

    private func unifiedReceipt(
        of account: AccountPurchases, _ attempt: Int, _ signer: ReceiptSigner
    ) throws -> JSONValue {
        var request = ReceiptRequest()
        request.number = UInt64(attempt)
        let receipt = try signer.sign(account.receipt(request, createdAt: signedDate))
        return .object([
            "environment": .string(account.configuration.environment.rawValue), "status": .integer(0),
            "latest_receipt": .string(Base64.encode(receipt)),
            "latest_receipt_info": .array(account.latestRows().map(\.latestElement)),
            "pending_renewal_info": .array(account.pendingRenewals(at: changeDate)),
        ])
    }
}
