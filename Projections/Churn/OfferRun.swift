package import LedgerModel
package import PaidService
package import Primitives
import SubscriptionStatus

/// Consecutive purchases with one offer, and whether the subscriber went on to pay.
package struct OfferRun: Sendable {
    package enum Outcome: Hashable, Sendable {
        case converted(at: Instant)
        /// The offer is still running, or the renewal after it may still succeed.
        case pending
        case notConverted(ChurnClass)
    }

    package let offer: TransactionFact.Offer
    package let purchases: [SubscriptionPurchase]
    package let outcome: Outcome

    package var first: SubscriptionPurchase { purchases[0] }
    package var last: SubscriptionPurchase { purchases[purchases.count - 1] }
    package var isFree: Bool { purchases.allSatisfy { $0.payment == .free } }
}

extension PurchaseUnit {
    /// The runs of purchases with an offer, oldest first.
    package var offerRuns: [OfferRun] {
        var runs: [OfferRun] = []
        var index = 0
        let purchases = purchases.filter { !$0.isReplacedBeforeStart }
        while index < purchases.count {
            guard let offer = purchases[index].offer else {
                index += 1
                continue
            }
            var end = index + 1
            while end < purchases.count, purchases[end].offer?.isSame(as: offer) == true,
                purchases[end].continues(purchases[end - 1])
            {
                end += 1
            }
            let run = Array(purchases[index..<end])
            let next = end < purchases.count ? purchases[end] : nil
            runs.append(OfferRun(offer: offer, purchases: run, outcome: outcome(of: run, before: next)))
            index = end
        }
        return runs
    }

    private func outcome(of run: [SubscriptionPurchase], before next: SubscriptionPurchase?) -> OfferRun.Outcome {
        let last = run[run.count - 1]
        // After an offer that was paid for, the standard price is the conversion.
        let isPaidOffer = run.contains { $0.isPaid }
        if let next, next.continues(last), next.isPaid, !isPaidOffer || next.offer == nil {
            return .converted(at: next.start)
        }
        let isOver = last.held.map { $0.upperBound <= asOf } ?? true
        let isWaiting = next == nil && states.contains { $0.key == last.key && $0.isRenewalOpen }
        return isOver && !isWaiting ? .notConverted(ChurnClass(of: last)) : .pending
    }
}

extension SubscriptionState {
    /// Whether the newest renewal may still succeed.
    fileprivate var isRenewalOpen: Bool {
        status == .gracePeriod || status == .billingRetry || reason == .awaitingRenewal
    }
}

extension TransactionFact.Offer {
    fileprivate func isSame(as other: TransactionFact.Offer) -> Bool {
        offerType == other.offerType && offerIdentifier == other.offerIdentifier
    }
}

extension SubscriptionPurchase {
    /// Whether the purchase began before the end of another, at most an hour after it, or recovers its renewal.
    fileprivate func continues(_ other: SubscriptionPurchase) -> Bool {
        if start <= other.end.advanced(byMilliseconds: Stay.longestGap) { return true }
        return other.failure?.next.map { $0.isRecovery && $0.start == start } ?? false
    }
}
