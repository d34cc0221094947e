package import AppStoreModel
package import LedgerModel
package import Primitives

/// A purchase of a subscription that had begun by an instant, as of that instant. Access rules do not count.
///
/// A class without changes: the projections pass purchases around far more often than they make one.
package final class SubscriptionPurchase: Sendable {
    package let key: SubscriptionKey
    package let transactionId: AppleID?
    package let productId: Symbol?
    package let start: Instant
    package let end: Instant
    /// The end without extensions.
    package let statedEnd: Instant
    /// The start of the later purchase that took its place; nil if none did.
    package let replacedAt: Instant?
    /// Whether that is a purchase of the same key. Apple then gives back the unused rest.
    package let isUpgraded: Bool
    /// The start of what took the place of the key's purchases, also of those that had ended; nil if nothing did.
    package let supersededAt: Instant?
    /// Whether Apple marked it as upgraded, also without a known purchase that took its place.
    package let isMarkedUpgraded: Bool
    /// Those begun, in the order of their statements.
    package let revocations: [Revocation]
    package let payment: Payment
    /// The duration of the product; nil if it is not known.
    package let duration: CalendarPeriod?
    /// The time that the price is for: the whole offer if it was paid up front. Nil if it is not known.
    package let chargedPeriod: CalendarPeriod?
    package let price: TransactionFact.Price?
    package let offer: TransactionFact.Offer?
    package let storefront: Symbol?
    /// Nil when the renewal did not fail.
    package let failure: FailedRenewal?
    /// Whether no source states that the account itself bought it.
    package let isOwnershipInferred: Bool
    /// The position of the first statement.
    package let position: Position
    package let asOf: Instant
    package let period: Period
    private let notifications: [Observed<NotificationFact>]

    init(
        _ period: Period, of subscription: Subscription, endingAt end: Instant, at t: Instant,
        duration: CalendarPeriod?, _ product: CatalogProduct?
    ) {
        key = subscription.key
        (transactionId, productId, start) = (period.transactionId, period.productId, period.start)
        self.end = end
        statedEnd = period.statedEnd ?? end
        let successor = subscription.periods.successor(replacing: period, at: t)?.start
        // A migration replaces every earlier purchase of the key, also those that ended before.
        supersededAt = period.replacement.flatMap { $0.start <= t ? $0.start : nil }
        replacedAt = [successor, supersededAt.flatMap { $0 < end ? $0 : nil }].compactMap { $0 }.min()
        (isUpgraded, isMarkedUpgraded) = (successor != nil, period.isMarkedUpgraded)
        revocations = period.revocations.filter { $0.start <= t }
        payment = Payment(of: period, duration: duration, product)
        self.duration = duration
        chargedPeriod = CalendarPeriod(chargedFor: period, of: product, duration)
        (price, offer, storefront) = (period.price, period.offer, period.storefront)
        failure  // A later refund does not undo that the renewal failed.
        =
            replacedAt == nil && period.revocation(at: t).map { end <= $0.start } ?? true
            ? FailedRenewal(
                of: period, endingAt: end, at: t, among: subscription.periods, subscription.notifications) : nil
        self.period = period
        notifications = subscription.notifications
        isOwnershipInferred = period.inAppOwnershipType == nil
        position = period.firstSource?.position ?? 0
        asOf = t
    }
}

extension SubscriptionPurchase {
    package var isPaid: Bool { payment == .paid }

    /// The statements about the end.
    /// - Complexity: O(n) for n notifications of the key.
    package var ending: PurchaseEnding {
        PurchaseEnding(of: period, endingAt: end, at: asOf, notifications)
    }

    /// Whether another purchase took its place before it began.
    package var isReplacedBeforeStart: Bool { replacedAt.map { $0 <= start } ?? false }

    /// Whether the whole price is given back.
    package var isRefundedInFull: Bool { revocation?.isFullRefund ?? false }

    private var revocation: Revocation? { revocation(at: asOf) }

    private func revocation(at t: Instant) -> Revocation? { revocations.last { $0.covers(t) } }

    /// The time for which the subscriber had the purchase: up to its end, a replacement or a revocation. Nil if another
    /// took its place before it began.
    package var held: Range<Instant>? {
        let upper = [end, replacedAt, revocation?.start].compactMap { $0 }.min() ?? end
        return start < upper ? start..<upper : nil
    }

    /// The time that the purchase served, as far as it is known: up to a replacement or a revocation. Nil after a full
    /// refund.
    package var service: Range<Instant>? { service(asOf: asOf) }

    /// The same with the revocations in force at `t`.
    package func service(asOf t: Instant) -> Range<Instant>? { service(endingAt: end, revocation(at: t)) }

    /// The same without extensions.
    package func chargedService(asOf t: Instant) -> Range<Instant>? {
        service(endingAt: min(end, statedEnd), revocation(at: t))
    }

    private func service(endingAt end: Instant, _ revocation: Revocation?) -> Range<Instant>? {
        var upper = min(end, replacedAt ?? end)
        if let revocation {
            if revocation.isFullRefund { return nil }
            upper = min(upper, revocation.start)
        }
        return start < upper ? start..<upper : nil
    }
}

extension SubscriptionPurchase {
    /// Returns the gap between the purchase and the one that recovered its renewal; nil when the rules do not bridge it.
    /// - Parameter paid: the paid purchases of the unit.
    package func bridgedGap(
        _ bridge: Rules.Retention.Bridge, in paid: [SubscriptionPurchase]
    ) -> Range<Instant>? {
        guard let failure, let next = failure.next, next.isRecovery, failure.failedAt < next.start,
            paid.contains(where: { $0.key == key && $0.start == next.start })
        else { return nil }
        switch bridge {
        case .none: return nil
        case .grace: guard let until = failure.graceUntil, next.start < until else { return nil }
        case .retry: break
        }
        return failure.failedAt..<next.start
    }
}

extension Revocation {
    /// Whether Apple gave back the whole price. Transactions signed before 2025 have no revocationType.
    package var isFullRefund: Bool {
        guard let statement else { return false }
        switch statement.revocationType {
        case .refundFull: return true
        case nil: return statement.revocationReason?.isRefund ?? true
        default: return false
        }
    }
}
