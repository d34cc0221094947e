import AppStoreModel
import LedgerModel

package enum PriceIncrease: String, Sendable, CaseIterable {
    case pending, accepted
}

extension StatusContext {
    /// Nil without an increase, and once there is nothing left to renew at the new price.
    var priceIncrease: PriceIncrease? {
        guard status != .revoked, status != .expired else { return nil }
        switch renewal?.terms?.priceIncreaseStatus {
        case .pending: return .pending
        case .accepted: return .accepted
        default: return nil
        }
    }
}
