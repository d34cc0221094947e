import AppStoreModel
import LedgerModel
import Primitives

extension StatusContext {
    /// The names of the row's inferred fields, sorted.
    var inferred: [String] {
        var fields: Set<String> = []
        if isStatusInferred { fields.formUnion(["access", "accessUntil", "entitled", "reason", "status"]) }
        switch period.basis {
        case .transaction: break
        case .renewalInfo: fields.insert("purchasedAt")
        case .earlyRenewal: fields.formUnion(["productId", "purchasedAt"])
        }
        if period.expiresDate.value(at: t)?.isInferred == true { fields.insert("expiresAt") }
        if chargedRenewal == nil, renewal?.isForeseen == true {
            if willRenew != nil, status == .active { fields.formUnion(["accessUntil", "willRenew"]) }
            if pendingProductId != nil { fields.insert("pendingProductId") }
        }
        if accessUntil == nil { fields.remove("accessUntil") }
        return fields.sorted()
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
