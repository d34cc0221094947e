/// Identifies the timeline of an observation.
package enum TimelineKey: Hashable, Sendable {
    case subscription(SubscriptionKey)
    case appAccount(AppAccountKey)
}
