import AppStoreModel
import LedgerModel

/// The customer's next step. Offers that need a catalogue, and the steps of receipts, are not among them.
package enum NextStep: String, Sendable, CaseIterable {
    case none, fixBilling, consentToPrice, offerWinBack, resubscribe

    /// The place where Apple lets the customer do it, outside the app.
    package var url: String? {
        self == .fixBilling ? "https://apps.apple.com/account/billing" : nil
    }
}

extension StatusContext {
    /// - Parameter isActiveElsewhere: whether another subscription of the Apple account is entitled.
    func nextStep(isActiveElsewhere: Bool) -> NextStep {
        switch status {
        case .gracePeriod, .billingRetry: return .fixBilling
        case .active:
            let isBeforeEnd = end.map { t < $0 } ?? false
            return priceIncrease == .pending && isBeforeEnd ? .consentToPrice : .none
        case .revoked, .expired:
            // A replaced purchase lives on under another key, and a non-consumable cannot be subscribed to.
            if decision == .replaced || period.type == .nonConsumable { return .none }
            if !winBackOfferIds.isEmpty, !isActiveElsewhere { return .offerWinBack }
            return period.inAppOwnershipType == .familyShared || reason == .productUnavailable ? .none : .resubscribe
        }
    }

    /// Best first.
    var winBackOfferIds: [String] { renewal?.terms?.eligibleWinBackOfferIds ?? [] }
}
