import AppStoreModel

/// The type of a notification of version 1, as far as the changes of the store have counterparts.
/// https://developer.apple.com/documentation/appstoreservernotifications/notification_type
package enum Version1Type: String, CaseIterable, Hashable, Sendable {
    case initialBuy = "INITIAL_BUY"
    case didRenew = "DID_RENEW"
    case interactiveRenewal = "INTERACTIVE_RENEWAL"
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    case didRecover = "DID_RECOVER"
    case cancel = "CANCEL"
    case refund = "REFUND"
    case revoke = "REVOKE"
    case priceIncreaseConsent = "PRICE_INCREASE_CONSENT"

    /// Whether Apple sends it to a family member, too.
    fileprivate var isForMembers: Bool {
        switch self {
        case .initialBuy, .cancel, .refund, .priceIncreaseConsent: false
        default: true
        }
    }

    /// Whether the sandbox sends it.
    fileprivate var isForSandbox: Bool {
        switch self {
        case .didFailToRenew, .didRecover, .priceIncreaseConsent: false
        default: true
        }
    }
}

extension StoreArtifact {
    /// The notifications of version 1 about the same change. Version 1 has none of an expiry, for example.
    package var version1Types: [Version1Type] {
        guard let notification, let account = notification.account else { return [] }
        let subscription = account.subscriptions.first { $0.origin.originalTransactionId == originalTransactionId }
        let isMember = subscription?.origin.ownership == .familyShared
        let isSandbox = account.configuration.environment == .sandbox
        return notification.version1Types(of: subscription, account.habits)
            .filter { (!isMember || $0.isForMembers) && (!isSandbox || $0.isForSandbox) }
    }
}

extension NotificationContent {
    /// - Parameter subscription: nil for a purchase of anything else.
    fileprivate func version1Types(of subscription: Subscription?, _ habits: ReceiptHabits) -> [Version1Type] {
        guard let subscription else { return type == .refund ? [.refund] : [] }
        switch (type, subtype) {
        case (.subscribed, .initialBuy): return [.initialBuy]
        case (.subscribed, .resubscribe):
            return subscription.hasChangedProduct
                ? [.interactiveRenewal, .didChangeRenewalStatus] : [.didChangeRenewalStatus]
        case (.didRenew, .billingRecovery): return [.didRecover]
        case (.didRenew, _): return [.didRenew]
        case (.didChangeRenewalPref, .upgrade):
            return [.didChangeRenewalStatus, .interactiveRenewal] + (habits.cancelsReplaced ? [.cancel] : [])
        case (.didChangeRenewalPref, _): return [.didChangeRenewalPref]
        case (.didChangeRenewalStatus, _), (.expired, .billingRetry): return [.didChangeRenewalStatus]
        case (.didFailToRenew, _): return [.didFailToRenew]
        case (.refund, _): return [.cancel]
        case (.revoke, _): return [.revoke]
        case (.priceIncrease, .pending): return [.priceIncreaseConsent]
        default: return []
        }
    }
}

extension Subscription {
    /// Whether the newest charge is for another product than the one before.
    fileprivate var hasChangedProduct: Bool {
        charges.count > 1 && charges[charges.count - 2].product.id != newest.product.id
    }
}
