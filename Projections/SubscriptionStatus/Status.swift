package import AppStoreModel

/// Apple's five statuses, in Apple's words.
package enum Status: String, Sendable, CaseIterable {
    case active, gracePeriod, billingRetry, revoked, expired

    /// Nil for a code that Apple adds later.
    package init?(signed code: SubscriptionStatusCode) {
        switch code {
        case .active: self = .active
        case .expired: self = .expired
        case .billingRetry: self = .billingRetry
        case .gracePeriod: self = .gracePeriod
        case .revoked: self = .revoked
        default: return nil
        }
    }
}
