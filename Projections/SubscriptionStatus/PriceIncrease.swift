import AppStoreModel
import LedgerModel

package enum PriceIncrease: String, Sendable, CaseIterable {
    case pending, accepted
}

extension StatusContext {
    /// The customer's consent to a price increase; nil without an increase, and when no renewal remains.
    var priceIncrease: PriceIncrease? {
        guard status != .revoked, status != .expired else { return nil }
        switch renewal?.priceIncreaseStatus {
        case .pending: return .pending
        case .accepted: return .accepted
        default: return nil
        }
    }
}
