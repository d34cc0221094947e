import AppStoreModel
import LedgerModel
package import Primitives

extension StatusContext {
    /// Whether the period renews; nil when unknown. In a plan with a commitment, it applies to the month.
    var willRenew: Bool? {
        guard period.type != .nonConsumable else { return false }
        switch status {
        case .revoked, .expired: return false
        case .active, .gracePeriod, .billingRetry:
            if chargedRenewal != nil { return true }
            return renewal?.autoRenewStatus.map { $0 == .on }
        }
    }

    /// The product of the next renewal, if it differs.
    var pendingProductId: Symbol? {
        guard willRenew == true else { return nil }
        let next = chargedRenewal.map(\.productId) ?? renewal?.autoRenewProductId
        return next == period.productId ? nil : next
    }

    /// The instant since which auto-renew is off. Nil when it is on or unknown, or the renewal is already charged.
    var autoRenewOffSince: Instant? {
        willRenew == true ? nil : period.autoRenewOffSince(at: t)
    }

    var commitment: Commitment? {
        let (charged, next) = (period.commitment, renewal?.commitment)
        guard charged?.totalBillingPeriods != nil || charged?.commitmentExpiresDate != nil || next != nil else {
            return nil
        }
        return Commitment(
            endsAt: charged?.commitmentExpiresDate ?? next?.commitmentRenewalDate,
            willRenew: next?.commitmentAutoRenewStatus.map { $0 == .on },
            productId: next?.commitmentAutoRenewProductId ?? period.productId,
            period: charged?.billingPeriodNumber, of: charged?.totalBillingPeriods)
    }
}

/// A plan with monthly charges and a commitment of twelve months.
package struct Commitment: Hashable, Sendable {
    package let endsAt: Instant?
    /// Whether the commitment renews at its end; nil when unknown.
    package let willRenew: Bool?
    package let productId: Symbol?
    /// The number of the month, from 1.
    package let period: Int64?
    package let of: Int64?
}
