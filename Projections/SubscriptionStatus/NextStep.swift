import AppStoreModel
import LedgerModel
import Primitives

/// The next step for a subscription. Steps that require a catalogue and steps for receipts are not included.
package enum NextStep: String, Sendable, CaseIterable {
    case none, fixBilling, consentToPrice, offerWinBack, resubscribe
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
            // A replaced purchase continues under another key, and a non-consumable is not a subscription.
            if decision == .replaced || period.type == .nonConsumable { return .none }
            if !winBackOfferIds.isEmpty, !isActiveElsewhere { return .offerWinBack }
            return period.inAppOwnershipType == .familyShared || reason == .productUnavailable ? .none : .resubscribe
        }
    }

    /// The ids of the eligible win-back offers, best first.
    var winBackOfferIds: [String] { renewal?.eligibleWinBackOfferIds?.value.ids.map(\.text) ?? [] }
}
