package import AppStoreModel

/// The five statuses that Apple defines.
package enum Status: String, Sendable, CaseIterable {
    case active, gracePeriod, billingRetry, revoked, expired

    /// Creates the status of a signed code; nil for an undocumented code.
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
