import AppStoreModel
import LedgerModel
import Primitives

/// Why the status is what it is.
package enum Reason: String, Sendable, CaseIterable {
    case paid, freeTrial, introOffer, promotionalOffer, offerCode, winBack, familyShared, awaitingRenewal
    case appleGrace, ownGrace, limitedAccess, billingRetry
    case cancelled, billingFailed, priceNotAccepted, productUnavailable
    case refunded, familyRevoked, replaced, other, unknown
}

extension Moment {
    var reason: Reason {
        switch rule.status {
        case .active: rule == .renewalAwaited ? .awaitingRenewal : Reason(active: period)
        case .gracePeriod: .appleGrace
        case .billingRetry: reasonInBillingRetry
        case .revoked: Reason(revoked: newest, by: newest.revocation(at: t))
        case .expired: rule == .replaced ? .replaced : Reason(expired: renewal)
        }
    }

    private var reasonInBillingRetry: Reason {
        switch access {
        case .full: .ownGrace
        case .limited: .limitedAccess
        case .none: .billingRetry
        }
    }
}

extension Reason {
    /// An implied period is known to be entitled, and nothing says on what terms.
    fileprivate init(active period: Period) {
        if period.inAppOwnershipType == .familyShared {
            self = .familyShared
        } else if let offer = period.offer {
            self = Reason(offer, price: period.price)
        } else {
            self = period.isKnown ? .paid : .unknown
        }
    }

    private init(_ offer: TransactionFact.Offer, price: TransactionFact.Price?) {
        switch offer.offerType {
        case .introductory:
            // Transactions signed before 2023-10 have no offerDiscountType; some of them have a price.
            let isFree = offer.offerDiscountType == .freeTrial || offer.offerDiscountType == nil && price?.price == 0
            self = isFree ? .freeTrial : .introOffer
        case .promotional: self = .promotionalOffer
        case .offerCode: self = .offerCode
        case .winBack: self = .winBack
        default: self = .other
        }
    }

    fileprivate init(revoked period: Period, by revocation: Revocation?) {
        guard period.inAppOwnershipType != .familyShared else {
            self = .familyRevoked
            return
        }
        guard period.isKnown, revocation != nil else {
            self = .unknown
            return
        }
        switch revocation?.statement?.revocationType {
        case .refundFull, .refundProrated, nil: self = .refunded
        case .familyRevoke: self = .familyRevoked
        default: self = .other
        }
    }

    fileprivate init(expired renewal: RenewalFact?) {
        switch renewal?.expirationIntent {
        case .cancelled: self = .cancelled
        case .billingError: self = .billingFailed
        case .priceNotAccepted: self = .priceNotAccepted
        case .productUnavailable: self = .productUnavailable
        case nil: self = renewal?.autoRenewStatus == .off ? .cancelled : .unknown
        default: self = .other
        }
    }
}
