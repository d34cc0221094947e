import AppStoreModel
package import Primitives

/// The answer of verifyReceipt to a transaction receipt of iOS 6: one purchase, and the newest of its subscription.
package struct TransactionReceiptAnswer: Sendable {
    private let receipt: IssuedTransactionReceipt
    private let account: AccountPurchases
    private let requestDate: Instant
    /// Whether the request has the shared secret: only then is the newest state told.
    package var statesLatest = false

    /// - Parameters:
    ///   - receipt: the receipt of the request, perhaps an old one.
    ///   - requestDate: the current time of the store.
    package init(_ receipt: IssuedTransactionReceipt, of account: AccountPurchases, requestDate: Instant) {
        self.receipt = receipt
        self.account = account
        self.requestDate = requestDate
    }

    /// - Parameter signer: the signer of `latest_receipt`.
    package func json(signedBy signer: ReceiptSigner) throws -> JSONValue {
        var members = [
            JSONValue.Member("status", .integer(isExpired ? 21_006 : 0)), .init("receipt", .object(statedPurchase)),
        ]
        guard statesLatest, let subscription, let newest else { return .object(members) }
        let purchase = account.transactionReceipt(of: newest).purchaseInfo
        let latest = JSONValue.object(flat(purchase, cancellation: newest.cancellation))
        members.append(.init(isExpired ? "latest_expired_receipt_info" : "latest_receipt_info", latest))
        if !isExpired { members.add("latest_receipt", try latestReceipt(purchase, signer)) }
        if !account.isForgotten(subscription, at: requestDate) { members += subscription.renewal }
        return .object(members)
    }

    private var subscription: Subscription? {
        account.subscriptions.first { $0.origin.originalTransactionId == receipt.originalTransactionId }
    }

    /// The newest row of the subscription that nothing has replaced.
    private var newest: ReceiptRow? {
        subscription.flatMap { subscription in account.rows(of: subscription).last { !$0.isUpgraded } }
    }

    /// Whether the last period is over, also in grace: the older style knows none.
    private var isExpired: Bool { newest?.expiresDate.map { $0 <= requestDate } ?? false }

    /// The newest purchase as a receipt of the same form as the one of the request.
    private func latestReceipt(_ purchase: PropertyList, _ signer: ReceiptSigner) throws -> String {
        guard !account.habits.leavesLatestReceiptEmpty else { return "" }
        let latest = IssuedTransactionReceipt(purchaseInfo: purchase, namesSandbox: receipt.namesSandbox)
        return Base64.encode(try signer.sign(latest))
    }

    /// The purchase of the receipt, however old, with its cancellation since.
    private var statedPurchase: [JSONValue.Member] {
        let lineItem = receipt.purchaseInfo["web-order-line-item-id"]
        let current = account.rows.first {
            $0.originalTransactionId == receipt.originalTransactionId && $0.webOrderLineItemId == lineItem
        }
        return flat(receipt.purchaseInfo, cancellation: current?.cancellation)
    }

    private func flat(_ info: PropertyList, cancellation: ReceiptRow.Cancellation?) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        for entry in info.entries {
            members.add(String(entry.key.map { $0 == "-" ? "_" : $0 }), entry.value)
        }
        members.add("cancellation_date", cancellation?.date)
        members.add("cancellation_reason", cancellation.map { "\($0.reason.rawValue)" })
        return members
    }
}

extension Subscription {
    /// The renewal that comes next, fails or did not happen.
    fileprivate var renewal: [JSONValue.Member] {
        var members = [JSONValue.Member("auto_renew_status", .integer(autoRenews ? 1 : 0))]
        members.add("auto_renew_product_id", nextProduct.id)
        members.add("expiration_intent", expirationIntent.map { "\($0.rawValue)" })
        switch phase {
        case .gracePeriod, .billingRetry: members.add("is_in_billing_retry_period", "1")
        case .expired: members.add("is_in_billing_retry_period", "0")
        case .active, .revoked: break
        }
        return members
    }
}
