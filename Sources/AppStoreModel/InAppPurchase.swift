package import Primitives

/// One purchase as a receipt, an answer of verifyReceipt or a notification of version 1 states it, without a signature of
/// its own.
package struct InAppPurchase: Sendable, Hashable {
    package var transactionId: String
    package var originalTransactionId: String
    package var productId: String
    package var purchaseDate: Instant
    package var originalPurchaseDate: Instant?
    package var expiresDate: Instant?
    package var quantity: Int64?
    package var webOrderLineItemId: String?
    /// Nil when only the product's catalogue can tell.
    package var type: ProductType?
    package var cancellationDate: Instant?
    package var cancellationReason: RevocationReason?
    package var offer: Offer?
    package var inAppOwnershipType: String?
    package var isUpgraded = false
    package var subscriptionGroupIdentifier: String?
    package var appAccountToken: String?

    package init(transactionId: String, originalTransactionId: String, productId: String, purchaseDate: Instant) {
        self.transactionId = transactionId
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.purchaseDate = purchaseDate
    }

    package struct Offer: Sendable, Hashable {
        package let offerType: OfferType
        package let offerIdentifier: String?
        /// Stated by a trial flag only; other words for the terms do not exist in these sources.
        package let isFreeTrial: Bool

        /// Creates the offer of a purchase. The id of a promotional offer or a code is explicit; a flag is also set for
        /// free periods of other offers, so it counts only without an id.
        package init?(
            promotionalOfferId: String?, offerCodeRefName: String? = nil, isTrialPeriod: Bool,
            isInIntroOfferPeriod: Bool
        ) {
            isFreeTrial = isTrialPeriod
            if let id = promotionalOfferId {
                (offerType, offerIdentifier) = (.promotional, id)
            } else if let id = offerCodeRefName {
                (offerType, offerIdentifier) = (.offerCode, id)
            } else if isTrialPeriod || isInIntroOfferPeriod {
                (offerType, offerIdentifier) = (.introductory, nil)
            } else {
                return nil
            }
        }
    }
}

extension InAppPurchase {
    /// Reads the attributes of a purchase in a receipt; nil without its ids, product or date.
    package init?(_ attributes: [ReceiptAttribute]) {
        func text(_ type: ReceiptAttributeType) -> String? {
            attributes.text(type).flatMap { $0.isEmpty ? nil : $0 }
        }
        func isUnreadableDate(_ type: ReceiptAttributeType) -> Bool {
            text(type) != nil && attributes.date(type) == nil
        }
        guard let id = text(.transactionId), let productId = text(.productId),
            let purchaseDate = attributes.date(.purchaseDate), !isUnreadableDate(.expiresDate),
            !isUnreadableDate(.cancellationDate)
        else { return nil }
        // Xcode writes no original id.
        self.init(
            transactionId: id, originalTransactionId: text(.originalTransactionId) ?? id, productId: productId,
            purchaseDate: purchaseDate)
        originalPurchaseDate = attributes.date(.inAppOriginalPurchaseDate)
        expiresDate = attributes.date(.expiresDate)
        quantity = attributes.integer(.quantity)
        webOrderLineItemId = attributes.integer(.webOrderLineItemId).flatMap { $0 == 0 ? nil : String($0) }
        type = ProductType(ofReceipt: attributes.integer(.productType)) ?? (expiresDate == nil ? nil : .autoRenewable)
        cancellationDate = attributes.date(.cancellationDate)
        offer = Offer(
            promotionalOfferId: text(.promotionalOfferId), isTrialPeriod: attributes.integer(.isTrialPeriod) == 1,
            isInIntroOfferPeriod: attributes.integer(.isInIntroOfferPeriod) == 1)
    }

    /// Returns one row for each transactionId, in the order of the first ones. Several rows of one artifact are one
    /// statement: a present field counts beside an absent one, and the later of two ends.
    package static func merging(_ rows: [InAppPurchase]) -> [InAppPurchase] {
        var indices: [String: Int] = [:]
        var merged: [InAppPurchase] = []
        for row in rows {
            if let index = indices[row.transactionId] {
                merged[index].add(row)
            } else {
                indices[row.transactionId] = merged.count
                merged.append(row)
            }
        }
        return merged
    }

    private mutating func add(_ other: InAppPurchase) {
        originalPurchaseDate = originalPurchaseDate ?? other.originalPurchaseDate
        expiresDate = [expiresDate, other.expiresDate].compactMap(\.self).max()
        quantity = quantity ?? other.quantity
        webOrderLineItemId = webOrderLineItemId ?? other.webOrderLineItemId
        type = type ?? other.type
        cancellationDate = cancellationDate ?? other.cancellationDate
        cancellationReason = cancellationReason ?? other.cancellationReason
        offer = offer ?? other.offer
        inAppOwnershipType = inAppOwnershipType ?? other.inAppOwnershipType
        isUpgraded = isUpgraded || other.isUpgraded
        subscriptionGroupIdentifier = subscriptionGroupIdentifier ?? other.subscriptionGroupIdentifier
        appAccountToken = appAccountToken ?? other.appAccountToken
    }
}

extension ProductType {
    /// A free subscription of a Newsstand app. It has no end, and Apple discontinued it.
    package static let free = ProductType(rawValue: "Free Subscription")

    /// Creates the type from attribute 1707, which Apple does not document; nil for another number.
    fileprivate init?(ofReceipt number: Int64?) {
        switch number {
        case 0: self = .nonConsumable
        case 1: self = .consumable
        case 2: self = .nonRenewing
        case 3: self = .autoRenewable
        case 4: self = .free
        default: return nil
        }
    }
}
