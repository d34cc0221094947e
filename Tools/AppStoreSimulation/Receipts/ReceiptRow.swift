import AppStoreModel
import Primitives

/// A purchase as receipts, answers of verifyReceipt and notifications of version 1 state it.
struct ReceiptRow: Sendable {
    struct Cancellation: Sendable {
        let date: Instant
        let reason: RevocationReason
    }

    var transactionId: String
    let originalTransactionId: String
    let productId: String
    let type: ProductType
    let quantity: Int64
    var purchaseDate: Instant
    let originalPurchaseDate: Instant
    /// Nil unless auto-renewable, as is `webOrderLineItemId`.
    var expiresDate: Instant?
    var webOrderLineItemId: String?
    var isTrialPeriod = false
    var isInIntroOfferPeriod = false
    var promotionalOfferId: String?
    var cancellation: Cancellation?

    // Signed receipts do not state the rest.
    var offerCodeRefName: String?
    var isUpgraded = false
    var ownership: InAppOwnershipType?
    var group: String?
    var appAccountToken: String?
}

extension ReceiptRow {
    init(_ charge: Charge, of origin: PurchaseOrigin) {
        self.init(
            transactionId: charge.transactionId, originalTransactionId: origin.originalTransactionId,
            productId: charge.product.id, type: charge.product.type, quantity: charge.quantity,
            purchaseDate: charge.purchaseDate, originalPurchaseDate: origin.originalPurchaseDate)
        expiresDate = charge.expiresDate
        webOrderLineItemId = charge.webOrderLineItemId
        isTrialPeriod = charge.offer?.payment == .freeTrial
        isInIntroOfferPeriod = charge.offer?.type == .introductory && !isTrialPeriod
        if charge.offer?.type == .promotional { promotionalOfferId = charge.offer?.id }
        if charge.offer?.type == .offerCode { offerCodeRefName = charge.offer?.id }
        cancellation = charge.revocation.map { Cancellation(date: $0.date, reason: $0.reason) }
        isUpgraded = charge.isUpgraded
        ownership = origin.ownership
        group = charge.product.group
        appAccountToken = charge.appAccountToken
    }

    /// Reads a purchase of a receipt that this store has issued; nil when something is missing.
    init?(_ attributes: [ReceiptAttribute]) {
        guard let transactionId = attributes.text(.transactionId),
            let originalTransactionId = attributes.text(.originalTransactionId),
            let productId = attributes.text(.productId),
            let type = attributes.integer(.productType).flatMap({ Self.types[Int($0)] }),
            let quantity = attributes.integer(.quantity), let purchaseDate = attributes.date(.purchaseDate),
            let originalPurchaseDate = attributes.date(.inAppOriginalPurchaseDate)
        else { return nil }
        self.init(
            transactionId: transactionId, originalTransactionId: originalTransactionId, productId: productId,
            type: type, quantity: quantity, purchaseDate: purchaseDate, originalPurchaseDate: originalPurchaseDate)
        expiresDate = attributes.date(.expiresDate)
        webOrderLineItemId = attributes.integer(.webOrderLineItemId).flatMap { $0 == 0 ? nil : "\($0)" }
        isTrialPeriod = attributes.integer(.isTrialPeriod) == 1
        isInIntroOfferPeriod = attributes.integer(.isInIntroOfferPeriod) == 1
        promotionalOfferId = attributes.text(.promotionalOfferId)
        cancellation = attributes.date(.cancellationDate).map { Cancellation(date: $0, reason: .other) }
    }

    /// The attributes of the purchase in a receipt. Apple writes an absent date as an empty text, an absent id as 0.
    var attributes: [ReceiptAttribute] {
        var attributes = [
            ReceiptAttribute(.quantity, .integer(quantity)), ReceiptAttribute(.productId, .text(productId)),
            ReceiptAttribute(.transactionId, .text(transactionId)),
            ReceiptAttribute(.purchaseDate, .text(purchaseDate.receiptDate)),
            ReceiptAttribute(.originalTransactionId, .text(originalTransactionId)),
            ReceiptAttribute(.inAppOriginalPurchaseDate, .text(originalPurchaseDate.receiptDate)),
            ReceiptAttribute(.productType, .integer(Int64(Self.types.firstIndex(of: type) ?? 0))),
            ReceiptAttribute(.expiresDate, .text(expiresDate?.receiptDate ?? "")),
            ReceiptAttribute(.webOrderLineItemId, .integer(webOrderLineItemId.flatMap { Int64($0) } ?? 0)),
            ReceiptAttribute(.cancellationDate, .text(cancellation?.date.receiptDate ?? "")),
            ReceiptAttribute(.isTrialPeriod, .integer(isTrialPeriod ? 1 : 0)),
        ]
        if type == .autoRenewable {
            attributes.append(ReceiptAttribute(.isInIntroOfferPeriod, .integer(isInIntroOfferPeriod ? 1 : 0)))
        }
        if let promotionalOfferId {
            attributes.append(ReceiptAttribute(.promotionalOfferId, .text(promotionalOfferId)))
        }
        return attributes
    }

    /// The types by their numbers in attribute 1707.
    private static let types: [ProductType] = [.nonConsumable, .consumable, .nonRenewing, .autoRenewable]
}

extension ReceiptRow {
    /// The element of `in_app`.
    var inAppElement: JSONValue { .object(members) }

    /// The element of `latest_receipt_info`, which states more.
    var latestElement: JSONValue {
        var members = members
        members.add("subscription_group_identifier", group)
        members.add("offer_code_ref_name", offerCodeRefName)
        members.add("app_account_token", appAccountToken)
        if isUpgraded { members.add("is_upgraded", "true") }
        return .object(members)
    }

    private var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        members.add("quantity", "\(quantity)")
        members.add("product_id", productId)
        members.add("transaction_id", transactionId)
        members.add("original_transaction_id", originalTransactionId)
        members.add("purchase_date", purchaseDate)
        members.add("original_purchase_date", originalPurchaseDate)
        members.add("expires_date", expiresDate)
        members.add("web_order_line_item_id", webOrderLineItemId)
        members.add("is_trial_period", isTrialPeriod ? "true" : "false")
        if type == .autoRenewable { members.add("is_in_intro_offer_period", isInIntroOfferPeriod ? "true" : "false") }
        members.add("promotional_offer_id", promotionalOfferId)
        members.add("cancellation_date", cancellation?.date)
        members.add("cancellation_reason", cancellation.map { "\($0.reason.rawValue)" })
        members.add("in_app_ownership_type", ownership?.rawValue)
        return members
    }
}
