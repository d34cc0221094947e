import AppStoreModel
import LedgerModel

/// What the customer can do next. Offers that need a catalogue, and the steps of receipts, are not among them.
package enum NextStep: String, Sendable, CaseIterable {
    case none, fixBilling, consentToPrice, offerWinBack, resubscribe

    /// Where Apple lets the customer do it, outside the app.
    package var url: String? {
        self == .fixBilling ? "https://apps.apple.com/account/billing" : nil
    }
}

extension Moment {
    var nextStep: NextStep {
        let status = rule.status
        if status == .gracePeriod || status == .billingRetry { return .fixBilling }
        if priceIncrease == .pending { return .consentToPrice }
        guard status == .revoked || status == .expired else { return .none }
        // What was replaced lives on under another key, and what never renewed cannot be subscribed to.
        if rule == .replaced || newest.type == .nonConsumable { return .none }
        return renewal?.eligibleWinBackOfferIds.isEmpty == false ? .offerWinBack : .resubscribe
    }
}
