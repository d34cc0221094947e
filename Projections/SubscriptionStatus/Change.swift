import AppStoreModel
import LedgerModel
import Primitives

/// The changes in a row of the history, in the order in which rows list them.
package enum ChangeWord: String, Sendable, CaseIterable {
    case started, resubscribed, renewed, converted, planChanged, planChangeScheduled, planChangeCancelled
    case autoRenewOff, autoRenewOn, billingFailed, graceStarted, graceEnded, recovered, expired
    case refunded, refundReversed, revoked, extended, priceIncreasePending, priceIncreaseAccepted, awaitingRenewal
    case accessChanged, replaced, purchased
    // Changes of the owner occur only in the feed and in a customer's history.
    case linked, unlinked, merged, unmerged, transferred
}

/// The difference between two rows of one key.
struct Change {
    let at: Instant
    let from: SubscriptionState?
    let to: SubscriptionState
    let context: StatusContext
    /// The period of the preceding row; nil for the first row.
    let previous: Period?
    /// The revocations of any period that begin or end at `at`.
    let revocations: [(period: Period, revocation: Revocation)]

    var isNewPurchase: Bool { from?.period != to.period }

    /// The words for the change, at least one, in the order of `ChangeWord`.
    var words: [ChangeWord] {
        let words = (isNewPurchase ? purchaseWords : statusWords) + revocationWords + renewalWords
        if words.isEmpty { return [.accessChanged] }
        return words.count == 1 ? words : ChangeWord.allCases.filter(words.contains)
    }
}

extension Change {
    /// The words for a new purchase.
    private var purchaseWords: [ChangeWord] {
        let period = context.period
        guard period.type != .nonConsumable else { return [.purchased] }
        guard let from, let previous else { return [.started] }
        var words: [ChangeWord] = []
        if from.productId != to.productId { words.append(.planChanged) }
        if previous.isFree, !period.isFree, period.isKnown { words.append(.converted) }
        if let word = sequenceWord(from, previous, period) { words.append(word) }
        if words.isEmpty { words.append(.renewed) }
        return words + statusWords
    }

    /// Returns the word for a purchase that follows a failure, an end or a revocation, or that continues the previous
    /// period. Nil for a plan change in mid-period.
    private func sequenceWord(_ from: SubscriptionState, _ previous: Period, _ period: Period) -> ChangeWord? {
        switch from.status {
        case .gracePeriod, .billingRetry: return period.transactionReason == .purchase ? .resubscribed : .recovered
        case .revoked, .expired: return isShortGap(previous, period) ? .renewed : .resubscribed
        case .active:
            let isInMidPeriod = previous.end(at: at).map {
                period.start < $0.advanced(byMilliseconds: -Instant.joinTolerance)
            }
            return isInMidPeriod ?? false && from.productId != to.productId ? nil : .renewed
        }
    }

    private func isShortGap(_ previous: Period, _ period: Period) -> Bool {
        guard from?.status == .expired, let end = previous.end(at: at), period.transactionReason == .renewal else {
            return false
        }
        return period.start <= end.advanced(byMinutes: Durations.longestGapMinutes)
    }

    private var statusWords: [ChangeWord] {
        guard let from else { return [] }
        var words: [ChangeWord] = []
        if !isNewPurchase, let end = to.expiresAt, let before = from.expiresAt, before < end { words.append(.extended) }
        if to.reason == .awaitingRenewal, from.reason != .awaitingRenewal { words.append(.awaitingRenewal) }
        guard to.status != from.status else { return words }
        switch to.status {
        case .gracePeriod: words.append(.graceStarted)
        case .billingRetry: words.append(from.status == .gracePeriod ? .graceEnded : .billingFailed)
        case .expired: words.append(to.decision == .replaced ? .replaced : .expired)
        case .active, .revoked: break
        }
        return words
    }

    private var revocationWords: [ChangeWord] {
        revocations.map { period, revocation in
            if revocation.end == at { return .refundReversed }
            return Reason(revoked: period, by: revocation) == .refunded ? .refunded : .revoked
        }
    }

    /// The words for changes of the next renewal.
    private var renewalWords: [ChangeWord] {
        guard let from else { return [] }
        var words: [ChangeWord] = []
        if to.isRunning, to.willRenew == false, from.willRenew != false { words.append(.autoRenewOff) }
        if to.isRunning, !isNewPurchase, to.willRenew == true, from.willRenew != true, from.isRunning {
            words.append(.autoRenewOn)
        }
        if to.pendingProductId != from.pendingProductId {
            if to.pendingProductId != nil {
                words.append(.planChangeScheduled)
            } else if from.productId == to.productId {
                words.append(.planChangeCancelled)
            }
        }
        if to.priceIncrease != from.priceIncrease {
            if to.priceIncrease == .pending { words.append(.priceIncreasePending) }
            if to.priceIncrease == .accepted { words.append(.priceIncreaseAccepted) }
        }
        return words
    }
}

extension SubscriptionState {
    fileprivate var isRunning: Bool { status != .expired && status != .revoked }
}

extension Period {
    /// Whether the period was free of charge.
    fileprivate var isFree: Bool {
        price?.price == 0 || offer?.offerDiscountType == .freeTrial
    }
}
