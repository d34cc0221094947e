import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus

/// The entitlement code of a subscription, as in Apple's sample for session 10671 of WWDC 2020: a view of the same fold.
/// Above 0, the subscription entitles by Apple's word; the rules of access do not change it.
/// https://developer.apple.com/videos/play/wwdc2020/10671/
///
/// It differs from the sample in these cases. An overdue renewal keeps its code while it is awaited. A refund counts
/// from its date, and neither an auto-renewal that is off nor a later statement replaces its code. A renewal info speaks
/// of the period that it was signed for, and not of periods before it. An offer code and a win-back offer count as
/// promotional offers, which the sample does not know.
package struct EntitlementCode: Hashable, Sendable {
    package enum State: Int, Sendable {
        case autoRenewOn = 5
        case autoRenewOff = 4
        case nonRenewing = 3
        case grace = 1
        case retry = -1
        case expiredFromBilling = -2
        case priceNotAccepted = -3
        case productUnavailable = -4
        case expiredVoluntarily = -5
        case upgraded = -6
        case refundedForIssue = -7
        case refundedForOther = -8
    }

    package enum Offer: Int, Sendable { case none, freeTrial, introductory, promotional }

    package let state: State
    package let offer: Offer

    /// The code of a non-renewing subscription in service.
    static let nonRenewing = EntitlementCode(state: .nonRenewing, offer: .none)

    /// The state with the offer as its first decimal, such as -5.1 for a trial that was cancelled and is over.
    package var value: Double {
        let tenths = abs(state.rawValue) * 10 + offer.rawValue
        return Double(state.rawValue < 0 ? -tenths : tenths) / 10
    }
}

extension Subscription {
    /// Returns the code of one of the subscription's products at `t`; nil for a product that is no subscription, and
    /// before its first period.
    /// - Parameter row: the row of the subscription at `t`.
    func code(of productId: Symbol, at t: Instant, _ row: SubscriptionState?) -> EntitlementCode? {
        let period = periods.last { $0.productId == productId && $0.start <= t }
        guard let period, period.type.map({ $0 == .autoRenewable }) ?? period.hasEnd else { return nil }
        let isCurrent = row.map { $0.productId == productId } ?? false
        let state = (isCurrent ? row : nil).map { EntitlementCode.State($0, period, at: t) }
        return EntitlementCode(
            state: state ?? EntitlementCode.State(past: period, at: t),
            offer: EntitlementCode.Offer(period.offer, price: period.price))
    }
}

extension EntitlementCode.State {
    fileprivate init(_ row: SubscriptionState, _ period: Period, at t: Instant) {
        switch row.status {
        case .active: self = row.willRenew == false ? .autoRenewOff : .autoRenewOn
        case .gracePeriod: self = .grace
        case .billingRetry: self = .retry
        case .revoked: self = Self(revoked: period, at: t)
        case .expired:
            switch row.reason {
            case .replaced: self = .upgraded
            case .billingFailed, .other: self = .expiredFromBilling
            case .priceNotAccepted: self = .priceNotAccepted
            case .productUnavailable: self = .productUnavailable
            default: self = .expiredVoluntarily
            }
        }
    }

    /// Creates the state of a product that is not the current one of its key.
    fileprivate init(past period: Period, at t: Instant) {
        if period.revocation(at: t) != nil {
            self.init(revoked: period, at: t)
        } else {
            self = period.isReplaced(at: t) ? .upgraded : .expiredVoluntarily
        }
    }

    private init(revoked period: Period, at t: Instant) {
        let reason = period.revocation(at: t)?.statement?.revocationReason
        self = reason == .appIssue ? .refundedForIssue : .refundedForOther
    }
}

extension EntitlementCode.Offer {
    fileprivate init(_ offer: TransactionFact.Offer?, price: TransactionFact.Price?) {
        switch offer?.offerType {
        case .introductory:
            let isFree = offer?.offerDiscountType == .freeTrial || offer?.offerDiscountType == nil && price?.price == 0
            self = isFree ? .freeTrial : .introductory
        case .promotional, .offerCode, .winBack: self = .promotional
        default: self = .none
        }
    }
}
