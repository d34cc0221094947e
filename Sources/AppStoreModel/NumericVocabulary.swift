/// A number defined by Apple, which may add values later.
public protocol OpenNumericVocabulary: RawRepresentable, Hashable, BitwiseCopyable, Sendable, CustomStringConvertible
where RawValue == Int64 {
    init(rawValue: Int64)
}

extension OpenNumericVocabulary {
    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    public var description: String { String(rawValue) }
}

package struct OfferType: OpenNumericVocabulary {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let introductory = OfferType(rawValue: 1)
    package static let promotional = OfferType(rawValue: 2)
    package static let offerCode = OfferType(rawValue: 3)
    package static let winBack = OfferType(rawValue: 4)
}

/// `data.status` of a notification and `status` of the Server API.
package struct SubscriptionStatusCode: OpenNumericVocabulary {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let active = SubscriptionStatusCode(rawValue: 1)
    package static let expired = SubscriptionStatusCode(rawValue: 2)
    package static let billingRetry = SubscriptionStatusCode(rawValue: 3)
    package static let gracePeriod = SubscriptionStatusCode(rawValue: 4)
    package static let revoked = SubscriptionStatusCode(rawValue: 5)

    /// Whether Apple documents the status; false for a status that Apple adds later.
    package var isDocumented: Bool { (Self.active.rawValue...Self.revoked.rawValue).contains(rawValue) }

    /// Whether the status states that no renewal is pending.
    package var deniesRenewal: Bool { self == .expired || self == .billingRetry || self == .revoked }
}

package struct AutoRenewStatus: OpenNumericVocabulary {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let off = AutoRenewStatus(rawValue: 0)
    package static let on = AutoRenewStatus(rawValue: 1)
}

package struct ExpirationIntent: OpenNumericVocabulary {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let cancelled = ExpirationIntent(rawValue: 1)
    package static let billingError = ExpirationIntent(rawValue: 2)
    package static let priceNotAccepted = ExpirationIntent(rawValue: 3)
    package static let productUnavailable = ExpirationIntent(rawValue: 4)
    package static let other = ExpirationIntent(rawValue: 5)
}

package struct PriceIncreaseStatus: OpenNumericVocabulary {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let pending = PriceIncreaseStatus(rawValue: 0)
    /// Consented, or notified where no consent is required.
    package static let accepted = PriceIncreaseStatus(rawValue: 1)
}

package struct RevocationReason: OpenNumericVocabulary {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static let other = RevocationReason(rawValue: 0)
    package static let appIssue = RevocationReason(rawValue: 1)

    /// Whether Apple documents it as a reason for refunds.
    package var isRefund: Bool { self == .other || self == .appIssue }
}
