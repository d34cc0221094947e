import AppStoreModel
import LedgerModel
import Primitives

/// The customer's use of the product. Business rules change this, `entitled` and the reason only, never the status.
package enum Access: String, Sendable, CaseIterable {
    case full, limited, none
}

extension StatusContext {
    var access: Access {
        switch status {
        case .active, .gracePeriod: .full
        case .billingRetry: accessInBillingRetry
        case .revoked: isProratedRefundKept ? .full : .none
        case .expired: .none
        }
    }

    /// Own grace days, then days of limited access, both counted from the end of the period.
    private var accessInBillingRetry: Access {
        guard let end else { return .none }
        let fullUntil = end.advanced(byDays: rules.ownGraceDays)
        if t < fullUntil { return .full }
        return t < fullUntil.advanced(byDays: rules.limitedAccessDays) ? .limited : .none
    }

    private var isProratedRefundKept: Bool {
        rules.proratedRefund == .keepToExpiry && period.covers(t)
            && period.revocation(at: t)?.statement?.revocationType == .refundProrated
    }
}
