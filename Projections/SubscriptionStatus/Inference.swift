import AppStoreModel
import LedgerModel
import Primitives

extension StatusContext {
    /// The names of the row's inferred fields, sorted.
    /// - Parameter accessUntil: that of the row.
    func inferred(accessUntil: Instant?) -> [String] {
        let isStatusInferred = isStatusInferred
        let isRenewalForeseen = chargedRenewal == nil && renewal?.isForeseen == true
        let isRenewalRemoved = chargedRenewal == nil && renewal?.isRemoved == true
        let isWillRenewInferred = (isRenewalForeseen || isRenewalRemoved) && willRenew != nil && status == .active
        var fields: [String] = []
        if isStatusInferred { fields.append("access") }
        if isStatusInferred || isWillRenewInferred, accessUntil != nil { fields.append("accessUntil") }
        if isStatusInferred { fields.append("entitled") }
        if period.statementOfEnd(at: t)?.isInferred == true { fields.append("expiresAt") }
        if period.isKnown, period.inAppOwnershipType == nil { fields.append("ownership") }
        if isRenewalForeseen, pendingProductId != nil { fields.append("pendingProductId") }
        if period.basis == .earlyRenewal { fields.append("productId") }
        if !period.isKnown { fields.append("purchasedAt") }
        if isStatusInferred {
            fields += ["reason", "status"]
        } else if isRenewalRemoved, status == .expired {
            fields.append("reason")
        }
        if isWillRenewInferred { fields.append("willRenew") }
        return fields
    }

    private var isStatusInferred: Bool {
        switch decision {
        case .impliedPeriodCovers, .inferredBillingRetry: true
        case .periodCovers: period.isMarkedUpgraded
        case .renewalAwaited: !period.isKnown || renewal?.autoRenewStatus != .on
        default: false
        }
    }
}
