import AppStoreModel
import LedgerModel
import Primitives

/// The customer's access to the product. Business rules change only access, `entitled` and the reason, not the status.
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

    /// Own grace days apply first, then days of limited access. Both are counted from the end of the period.
    private var accessInBillingRetry: Access {
        // A notification of version 1 opens nothing.
        guard let end, renewal?.source.rank != .notificationV1 else { return .none }
        let fullUntil = end.advanced(byDays: rules.ownGraceDays)
        if t < fullUntil { return .full }
        return t < fullUntil.advanced(byDays: rules.limitedAccessDays) ? .limited : .none
    }

    private var isProratedRefundKept: Bool {
        rules.proratedRefund == .keepToExpiry && period.covers(t)
            && period.revocation(at: t)?.statement?.revocationType == .refundProrated
    }
}
