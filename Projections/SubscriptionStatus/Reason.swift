import AppStoreModel
package import LedgerModel
package import Primitives

/// The reason of the status.
package enum Reason: String, Sendable, CaseIterable {
    case paid, freeTrial, introOffer, promotionalOffer, offerCode, winBack, familyShared, awaitingRenewal
    case appleGrace, ownGrace, limitedAccess, billingRetry
    case cancelled, billingFailed, priceNotAccepted, productUnavailable
    case refunded, familyRevoked, replaced, other, unknown
}

extension StatusContext {
    var reason: Reason {
        switch status {
        case .active: decision.isRenewalAwaited ? .awaitingRenewal : Reason(active: period)
        case .gracePeriod: .appleGrace
        case .billingRetry: reasonInBillingRetry
        case .revoked: Reason(revoked: period, by: period.revocation(at: t))
        case .expired: decision == .replaced ? .replaced : Reason(expired: renewal)
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
    /// Creates the reason of the end of a period that no other continues, as signed by `t`.
    package init(endOf period: Period, at t: Instant) {
        if let revocation = period.revocation(at: t) {
            self.init(revoked: period, by: revocation)
        } else {
            self.init(expired: period.renewal(at: t))
        }
    }

    /// Creates the reason of an active period. The terms of an implied period are unknown.
    init(active period: Period) {
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

    /// Creates the reason of a revocation. It is `other` for a type or a reason that Apple does not document, and for a
    /// signed status alone.
    init(revoked period: Period, by revocation: Revocation?) {
        if period.inAppOwnershipType == .familyShared {
            self = .familyRevoked
            return
        }
        guard let statement = revocation?.statement else {
            self = .other
            return
        }
        switch statement.revocationType {
        case .refundFull, .refundProrated: self = .refunded
        case .familyRevoke: self = .familyRevoked
        case nil: self = statement.revocationReason?.isRefund ?? true ? .refunded : .other
        default: self = .other
        }
    }

    fileprivate init(expired renewal: RenewalInForce?) {
        switch renewal?.expirationIntent {
        case .cancelled: self = .cancelled
        case .billingError: self = .billingFailed
        case .priceNotAccepted: self = .priceNotAccepted
        case .productUnavailable: self = .productUnavailable
        case nil: self = renewal?.isForeseen == false && renewal?.autoRenewStatus == .off ? .cancelled : .unknown
        default: self = .other
        }
    }
}
