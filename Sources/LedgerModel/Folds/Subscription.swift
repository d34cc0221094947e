package import Primitives

/// The fold of one timeline, independent of any instant.
package struct Subscription: Hashable, Sendable {
    /// Apple charges a renewal up to 24 hours before it starts.
    package static let earlyChargeMilliseconds = Instant.millisecondsPerDay

    package let key: SubscriptionKey
    /// Known and implied periods, in the order of purchase.
    package internal(set) var periods: [Period]
    /// In the total order.
    package let notifications: [Observed<NotificationFact>]
    /// The signing times of the renewal infos, ascending.
    package let renewalInfoTimes: [Instant]
    /// The token that transactions and renewal infos state.
    package let appAccountToken: StepFunction<String>
    /// The key's original purchase date, as stated by a JWS.
    package let originalPurchaseDate: Instant?
    package let previousOriginalTransactionIds: Set<String>
    package let appTransactionIds: Set<String>
    package let subscriptionGroupIdentifiers: Set<String>
    /// Whether the purchase that began the key is known: its transactionId is the key's originalTransactionId.
    package let isFirstTransactionKnown: Bool

    package init(key: SubscriptionKey, timeline: Timeline) {
        let transactions = timeline.transactions
        let renewalInfos = timeline.renewals.sorted { $0.isOutweighed(by: $1) }
        let notifications = timeline.notifications
        self.key = key
        self.notifications = notifications

        let evidenceTimes = EvidenceTimes(transactions: transactions, renewalInfos: renewalInfos)
        var collector = PeriodCollector(
            Period.known(transactions: transactions, notifications: notifications), evidenceTimes: evidenceTimes)
        collector.apply(renewalInfos, notifications: notifications)
        collector.assign(renewalInfos, notifications: notifications)
        periods = collector.periods

        renewalInfoTimes = renewalInfos.map(\.source.time)
        appAccountToken = StepFunction(timeline.stated(\.appAccountToken))
        originalPurchaseDate =
            transactions.last { $0.source.rank == .jws && $0.value.originalPurchaseDate != nil }?
            .value.originalPurchaseDate
        previousOriginalTransactionIds = Set(transactions.compactMap(\.value.previousOriginalTransactionId))
        appTransactionIds = Set(
            transactions.compactMap(\.value.appTransactionId) + renewalInfos.compactMap(\.value.appTransactionId))
        subscriptionGroupIdentifiers = Set(transactions.compactMap(\.value.subscriptionGroupIdentifier))
        isFirstTransactionKnown = transactions.contains { $0.value.transactionId == key.originalTransactionId }
    }
}
