package import AppStoreModel
package import Primitives

/// The content of a transaction, under Apple's names. Empty strings and a line item id of 0 count as absent.
package struct TransactionFact: Hashable, BitwiseCopyable, Sendable {
    package var transactionId: AppleID
    package var webOrderLineItemId: AppleID?
    package var productId: Symbol?
    package var subscriptionGroupIdentifier: Symbol?
    package var type: ProductType?
    package var inAppOwnershipType: InAppOwnershipType?
    package var transactionReason: TransactionReason?
    package var purchaseDate: Instant?
    package var originalPurchaseDate: Instant?
    package var expiresDate: Instant?
    package var quantity: Int64?
    /// ISO 3166-1 alpha-3.
    package var storefront: Symbol?
    package var isUpgraded = false
    package var revocation: Revocation?
    package var offer: Offer?
    package var price: Price?
    package var commitment: Commitment?
    /// Items of an Advanced Commerce transaction that are revoked while the transaction itself is not.
    package var itemRevocations: Interned<ItemRevocations>?
    package var appAccountToken: AppAccountToken?
    package var appTransactionId: AppleID?
    package var previousOriginalTransactionId: AppleID?
    /// The least originalTransactionId of the receipt or answer of verifyReceipt that states the transaction. Its
    /// purchases are of one Apple account. Nil where it has no other, and for statements that name the account.
    package var companion: AppleID?
    /// Whether the source states every purchase of the subscription up to its time.
    package var isOfFullHistory = false

    package init(transactionId: AppleID) {
        self.transactionId = transactionId
    }

    // Fields that Apple states together form one value here, so that no fold can combine fields of different
    // observations.

    package struct Revocation: Hashable, BitwiseCopyable, Sendable {
        package var revocationDate: Instant
        package var revocationReason: RevocationReason?
        package var revocationType: RevocationType?
        /// In milli-percent: 100000 is the full amount.
        package var revocationPercentage: Int64?

        package init(revocationDate: Instant) {
            self.revocationDate = revocationDate
        }
    }

    package struct Offer: Hashable, BitwiseCopyable, Sendable {
        package var offerType: OfferType?
        package var offerIdentifier: Symbol?
        package var offerDiscountType: OfferDiscountType?
        /// ISO 8601 duration of the whole offer.
        package var offerPeriod: Symbol?

        /// Creates an offer; nil when no field is stated.
        package init?(
            offerType: OfferType?, offerIdentifier: Symbol?, offerDiscountType: OfferDiscountType?, offerPeriod: Symbol?
        ) {
            let isSilent =
                offerType == nil && offerIdentifier == nil && offerDiscountType == nil && offerPeriod == nil
            guard !isSilent else { return nil }
            self.offerType = offerType
            self.offerIdentifier = offerIdentifier
            self.offerDiscountType = offerDiscountType
            self.offerPeriod = offerPeriod
        }
    }

    package struct Price: Hashable, BitwiseCopyable, Sendable {
        /// Milliunits of `currency`, for the whole quantity.
        package var price: Int64
        package var currency: Symbol?

        package init(price: Int64, currency: Symbol?) {
            self.price = price
            self.currency = currency
        }
    }

    /// The place of a monthly charge in a twelve-month commitment.
    package struct Commitment: Hashable, BitwiseCopyable, Sendable {
        package var billingPlanType: BillingPlanType?
        package var billingPeriodNumber: Int64?
        package var totalBillingPeriods: Int64?
        package var commitmentExpiresDate: Instant?
        /// Milliunits of the transaction's currency.
        package var commitmentPrice: Int64?

        package init() {}
    }

    /// The revoked items of one transaction. Few transactions have any, so each list is interned.
    package struct ItemRevocations: Internable {
        package static let internTable = InternTable<ItemRevocations>()

        package let items: [ItemRevocation]

        /// Returns nil for an empty list.
        package static func interned(_ items: [ItemRevocation]) -> Interned<ItemRevocations>? {
            items.isEmpty ? nil : Interned(ItemRevocations(items: items))
        }
    }

    package struct ItemRevocation: Hashable, Sendable {
        package var SKU: Symbol
        package var revocationDate: Instant

        package init(SKU: Symbol, revocationDate: Instant) {
            self.SKU = SKU
            self.revocationDate = revocationDate
        }
    }
}
