/// Where an observation is filed.
package enum TimelineKey: Hashable, Sendable {
    case subscription(SubscriptionKey)
    case appAccount(AppAccountKey)
}
