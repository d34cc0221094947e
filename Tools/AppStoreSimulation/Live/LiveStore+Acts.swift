import AppStoreModel
package import Primitives

/// The reason why the App Store does not extend a renewal date.
package enum ExtensionRefusal: Error, Sendable {
    /// The subscription is expired, unpaid, in grace or retry, or its next period is already charged.
    case ineligible
    /// It was extended twice within a year.
    case maximum
    case familyShared
}

/// Requests of the developer through the App Store Server API.
extension LiveStore {
    /// Extends the renewal date of a subscription now.
    /// - Parameters:
    ///   - account: the account of the subscription.
    ///   - days: 1 ... 90
    /// - Returns: the line item and the new renewal date.
    package mutating func extendRenewal(
        of originalTransactionId: String, by account: AccountID, byDays days: Int64
    ) throws(ExtensionRefusal) -> (webOrderLineItemId: String, effectiveDate: Instant) {
        guard let id = subscription(originalTransactionId, of: account) else { throw .ineligible }
        let subscription = store(of: account)[id]
        guard subscription.origin.ownership == .purchased else { throw .familyShared }
        let isPaid = subscription.newest.isPaid
        guard subscription.phase == .active, subscription.newest.purchaseDate <= now, isPaid else {
            throw .ineligible
        }
        let year = now.advanced(byMilliseconds: -365 * Instant.millisecondsPerDay)
        guard extensions[originalTransactionId, default: []].filter({ $0 > year }).count < 2 else { throw .maximum }
        extensions[originalTransactionId, default: []].append(now)
        let end = act(on: account) { store, now -> Instant in
            store.extendRenewal(of: id, byDays: days, at: now)
            return store[id].end
        }
        return (subscription.newest.webOrderLineItemId ?? "", end)
    }

    /// Sets the app account token of a purchase now.
    /// - Returns: false when the account has no purchase with this original transaction id.
    package mutating func setAppAccountToken(
        _ token: String, of originalTransactionId: String, by account: AccountID
    ) -> Bool {
        guard let id = subscription(originalTransactionId, of: account) else { return false }
        act(on: account) { $0.setAppAccountToken(token, of: id, at: $1) }
        return true
    }

    private func subscription(_ originalTransactionId: String, of account: AccountID) -> SubscriptionID? {
        let subscriptions = store(of: account).subscriptions
        return subscriptions.firstIndex { $0.origin.originalTransactionId == originalTransactionId }
            .map { SubscriptionID(index: $0) }
    }
}
