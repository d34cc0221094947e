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

/// A request to extend the renewal dates of all subscribers of a product, and its result.
package struct MassExtension: Hashable, Sendable {
    /// A UUID.
    package let requestIdentifier: String
    package let productId: String
    /// ISO 3166-1 alpha-3; empty for all.
    package let storefronts: [String]
    /// 1 ... 90
    package let days: Int64
    package internal(set) var succeeded = 0
    package internal(set) var failed = 0

    package init(requestIdentifier: String, productId: String, storefronts: [String], days: Int64) {
        self.requestIdentifier = requestIdentifier
        self.productId = productId
        self.storefronts = storefronts
        self.days = days
    }
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
        return try extendRenewal(of: id, by: account, byDays: days)
    }

    private mutating func extendRenewal(
        of id: SubscriptionID, by account: AccountID, byDays days: Int64
    ) throws(ExtensionRefusal) -> (webOrderLineItemId: String, effectiveDate: Instant) {
        let subscription = store(of: account)[id]
        let originalTransactionId = subscription.origin.originalTransactionId
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

    /// Extends the renewal dates of the active subscribers of a product now.
    /// - Returns: the request with its result.
    package mutating func extendRenewals(_ request: MassExtension) -> MassExtension {
        var result = request
        for index in households.indices {
            let store = households[index].store
            for (number, subscription) in store.subscriptions.enumerated() {
                let account = AccountID(household: index, customer: subscription.origin.customer)
                let storefront = store.customers[account.customer.index].storefront.code
                guard subscription.phase == .active, subscription.newest.product.id == request.productId,
                    subscription.origin.ownership == .purchased,
                    request.storefronts.isEmpty || request.storefronts.contains(storefront)
                else { continue }
                let id = SubscriptionID(index: number)
                do throws(ExtensionRefusal) {
                    _ = try extendRenewal(of: id, by: account, byDays: request.days)
                    result.succeeded += 1
                } catch {
                    act(on: account) { $0.failExtension(of: id, at: $1) }
                    result.failed += 1
                }
            }
        }
        sendSummary(of: result)
        return result
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
