import AppStoreModel
import LedgerModel

extension Moment {
    /// Nil when nothing says so. In a plan with a commitment it is the month's.
    var willRenew: Bool? {
        guard newest.type != .nonConsumable else { return false }
        guard let autoRenewStatus = renewal?.autoRenewStatus else { return nil }
        switch rule.status {
        case .active, .gracePeriod, .billingRetry: return autoRenewStatus == .on
        case .revoked, .expired: return false
        }
    }

    /// The product of the next renewal, if that is another one.
    var pendingProductId: String? {
        guard willRenew == true, let next = renewal?.autoRenewProductId, next != period.productId else { return nil }
        return next
    }
}
