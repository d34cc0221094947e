import PaidService
import SubscriptionStatus

/// Why a subscriber left.
package enum ChurnClass: String, Sendable, CaseIterable {
    /// The subscriber cancelled, or asked for a refund.
    case voluntary
    /// The subscriber did not accept a higher price.
    case priceIncrease = "voluntary/priceIncrease"
    /// Apple could not charge.
    case involuntary
    /// The product was no longer for sale.
    case productUnavailable = "involuntary/productUnavailable"
    case unknown
}

extension ChurnClass {
    /// Creates the class of the end of a purchase. Turning auto-renew off after a failed charge counts as involuntary.
    init(of purchase: SubscriptionPurchase) {
        switch purchase.ending.reason {
        case .priceNotAccepted: self = .priceIncrease
        case .productUnavailable: self = .productUnavailable
        case .refunded: self = .voluntary
        case .billingFailed: self = .involuntary
        case _ where purchase.failure != nil: self = .involuntary
        case .cancelled: self = .voluntary
        default: self = .unknown
        }
    }

    var isInvoluntary: Bool { self == .involuntary }
}
