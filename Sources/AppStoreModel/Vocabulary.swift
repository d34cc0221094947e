public import Primitives

/// A word defined by Apple, which may add words later. Known words have names; unknown words are kept.
public protocol OpenVocabulary: RawRepresentable, Hashable, BitwiseCopyable, Sendable, CustomStringConvertible
where RawValue == String {
    var symbol: Symbol { get }
    init(symbol: Symbol)
}

extension OpenVocabulary {
    // Without these two, the standard library compares and hashes the texts.

    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.symbol == right.symbol }

    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(symbol) }

    public var rawValue: String { symbol.text }
    public var description: String { rawValue }

    /// Interns the word, so it must not come from unverified input.
    public init(rawValue: String) {
        self.init(symbol: Symbol(rawValue))
    }

    /// Creates a value from a word that the process knows; nil for any other word.
    package init?(existing rawValue: String) {
        guard let symbol = Symbol(existing: rawValue) else { return nil }
        self.init(symbol: symbol)
    }
}

/// The environment of a transaction. Production and Sandbox are separate id spaces; the other two never come from the
/// App Store.
package struct Environment: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    package static let production = Environment(rawValue: "Production")
    package static let sandbox = Environment(rawValue: "Sandbox")
    package static let xcode = Environment(rawValue: "Xcode")
    package static let localTesting = Environment(rawValue: "LocalTesting")

    package static let known: [Environment] = [.production, .sandbox, .xcode, .localTesting]

    /// Creates an environment from one of its four names; nil for any other text.
    package init?(known name: String) {
        guard let environment = Self.known.first(where: { $0.rawValue == name }) else { return nil }
        self = environment
    }

    /// Whether Xcode signs the data on a developer's machine, outside Apple's PKI.
    package var isLocal: Bool { self == .xcode || self == .localTesting }
}

package struct NotificationType: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    package static let subscribed = NotificationType(rawValue: "SUBSCRIBED")
    package static let didChangeRenewalPref = NotificationType(rawValue: "DID_CHANGE_RENEWAL_PREF")
    package static let didChangeRenewalStatus = NotificationType(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    package static let offerRedeemed = NotificationType(rawValue: "OFFER_REDEEMED")
    package static let didRenew = NotificationType(rawValue: "DID_RENEW")
    package static let didFailToRenew = NotificationType(rawValue: "DID_FAIL_TO_RENEW")
    package static let gracePeriodExpired = NotificationType(rawValue: "GRACE_PERIOD_EXPIRED")
    package static let expired = NotificationType(rawValue: "EXPIRED")
    package static let priceIncrease = NotificationType(rawValue: "PRICE_INCREASE")
    package static let refund = NotificationType(rawValue: "REFUND")
    package static let refundDeclined = NotificationType(rawValue: "REFUND_DECLINED")
    package static let refundReversed = NotificationType(rawValue: "REFUND_REVERSED")
    package static let revoke = NotificationType(rawValue: "REVOKE")
    package static let consumptionRequest = NotificationType(rawValue: "CONSUMPTION_REQUEST")
    package static let renewalExtended = NotificationType(rawValue: "RENEWAL_EXTENDED")
    package static let renewalExtension = NotificationType(rawValue: "RENEWAL_EXTENSION")
    package static let oneTimeCharge = NotificationType(rawValue: "ONE_TIME_CHARGE")
    package static let externalPurchaseToken = NotificationType(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    package static let metadataUpdate = NotificationType(rawValue: "METADATA_UPDATE")
    package static let migration = NotificationType(rawValue: "MIGRATION")
    /// The name of `migration` in Apple's changelog of 2025-03-24; both are accepted.
    package static let migrate = NotificationType(rawValue: "MIGRATE")
    package static let priceChange = NotificationType(rawValue: "PRICE_CHANGE")
    package static let rescindConsent = NotificationType(rawValue: "RESCIND_CONSENT")
    package static let test = NotificationType(rawValue: "TEST")
}

package struct Subtype: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    package static let initialBuy = Subtype(rawValue: "INITIAL_BUY")
    package static let resubscribe = Subtype(rawValue: "RESUBSCRIBE")
    package static let upgrade = Subtype(rawValue: "UPGRADE")
    package static let downgrade = Subtype(rawValue: "DOWNGRADE")
    package static let autoRenewEnabled = Subtype(rawValue: "AUTO_RENEW_ENABLED")
    package static let autoRenewDisabled = Subtype(rawValue: "AUTO_RENEW_DISABLED")
    package static let voluntary = Subtype(rawValue: "VOLUNTARY")
    package static let billingRetry = Subtype(rawValue: "BILLING_RETRY")
    package static let priceIncrease = Subtype(rawValue: "PRICE_INCREASE")
    package static let productNotForSale = Subtype(rawValue: "PRODUCT_NOT_FOR_SALE")
    package static let gracePeriod = Subtype(rawValue: "GRACE_PERIOD")
    package static let billingRecovery = Subtype(rawValue: "BILLING_RECOVERY")
    package static let pending = Subtype(rawValue: "PENDING")
    package static let accepted = Subtype(rawValue: "ACCEPTED")
    package static let summary = Subtype(rawValue: "SUMMARY")
    package static let failure = Subtype(rawValue: "FAILURE")
    package static let unreported = Subtype(rawValue: "UNREPORTED")
    package static let created = Subtype(rawValue: "CREATED")
    package static let activeTokenReminder = Subtype(rawValue: "ACTIVE_TOKEN_REMINDER")
}

package struct ProductType: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    package static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
    package static let nonConsumable = ProductType(rawValue: "Non-Consumable")
    package static let consumable = ProductType(rawValue: "Consumable")
    package static let nonRenewing = ProductType(rawValue: "Non-Renewing Subscription")
}

package struct InAppOwnershipType: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    package static let purchased = InAppOwnershipType(rawValue: "PURCHASED")
    package static let familyShared = InAppOwnershipType(rawValue: "FAMILY_SHARED")
}

package struct TransactionReason: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    /// A customer's action: purchase, resubscription or upgrade.
    package static let purchase = TransactionReason(rawValue: "PURCHASE")
    /// A renewal by the system; also the first period after a downgrade.
    package static let renewal = TransactionReason(rawValue: "RENEWAL")
}

package struct RevocationType: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    package static let refundFull = RevocationType(rawValue: "REFUND_FULL")
    package static let refundProrated = RevocationType(rawValue: "REFUND_PRORATED")
    package static let familyRevoke = RevocationType(rawValue: "FAMILY_REVOKE")
}

package struct OfferDiscountType: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    package static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")
    package static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")
    package static let payUpFront = OfferDiscountType(rawValue: "PAY_UP_FRONT")
    package static let oneTime = OfferDiscountType(rawValue: "ONE_TIME")
}

package struct BillingPlanType: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    package static let billedUpfront = BillingPlanType(rawValue: "BILLED_UPFRONT")
    package static let monthly = BillingPlanType(rawValue: "MONTHLY")
}

package struct ConsumptionRequestReason: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    package static let unintendedPurchase = ConsumptionRequestReason(rawValue: "UNINTENDED_PURCHASE")
    package static let fulfillmentIssue = ConsumptionRequestReason(rawValue: "FULFILLMENT_ISSUE")
    package static let unsatisfiedWithPurchase = ConsumptionRequestReason(rawValue: "UNSATISFIED_WITH_PURCHASE")
    package static let legal = ConsumptionRequestReason(rawValue: "LEGAL")
    package static let other = ConsumptionRequestReason(rawValue: "OTHER")
}

package struct OriginalPlatform: OpenVocabulary {
    package let symbol: Symbol
    package init(symbol: Symbol) { self.symbol = symbol }

    package static let iOS = OriginalPlatform(rawValue: "iOS")
    package static let macOS = OriginalPlatform(rawValue: "macOS")
    package static let tvOS = OriginalPlatform(rawValue: "tvOS")
    package static let visionOS = OriginalPlatform(rawValue: "visionOS")
}
