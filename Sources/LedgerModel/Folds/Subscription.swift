/// The fold of one timeline: everything that can be said of one key before an instant is named.
package struct Subscription: Hashable, Sendable {
    package let key: SubscriptionKey
    /// Known and implied ones, oldest first.
    package internal(set) var periods: [Period]
    package let renewalInfo: StepField<RenewalFact>
    /// The newest token that a transaction or a renewal info states.
    package let appAccountToken: StepField<String>
    /// In the total order.
    package let notifications: [Observed<NotificationFact>]
    package let previousOriginalTransactionIds: Set<String>
    package let appTransactionIds: Set<String>
    package let subscriptionGroupIdentifiers: Set<String>
    /// Whether the purchase that began the key is known (its transactionId is the key's originalTransactionId).
    package let isFirstTransactionKnown: Bool

    package init(key: SubscriptionKey, timeline: Timeline) {
        let transactions = timeline.transactions
        let renewals = timeline.renewals
        let notifications = timeline.notifications
        self.key = key
        self.notifications = notifications

        var periods = Period.known(transactions: transactions, notifications: notifications)
        periods += Period.implied(by: renewals, beside: periods, notifications: notifications)
        periods += Period.implied(byEarlyRenewals: transactions, beside: periods)
        self.periods = periods.sorted { $0.isOlder(than: $1) }

        renewalInfo = StepField(renewals)
        appAccountToken = StepField(timeline.stated(\.appAccountToken))
        previousOriginalTransactionIds = Set(transactions.compactMap(\.value.previousOriginalTransactionId))
        appTransactionIds = Set(
            transactions.compactMap(\.value.appTransactionId) + renewals.compactMap(\.value.appTransactionId))
        subscriptionGroupIdentifiers = Set(transactions.compactMap(\.value.subscriptionGroupIdentifier))
        isFirstTransactionKnown = transactions.contains { $0.value.transactionId == key.originalTransactionId }
    }
}
