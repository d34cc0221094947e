import SubscriptionStatus

/// Until the row says so itself.
extension SubscriptionState {
    var inferred: [String] { [] }
}
