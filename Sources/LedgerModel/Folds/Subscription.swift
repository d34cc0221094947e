package import AppStoreModel
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
    /// The key's original purchase date, as stated by a JWS.
    package let originalPurchaseDate: Instant?
    package let previousOriginalTransactionIds: [AppleID]
    /// The Apple accounts, and the ids and groups around them, each once.
    package let appTransactionIds: [AppleID]
    package let subscriptionGroupIdentifiers: [Symbol]
    /// Whether the purchase that began the key is known: its transactionId is the key's originalTransactionId.
    package let isFirstTransactionKnown: Bool

    package init(key: SubscriptionKey, timeline: Timeline) {
        let transactions = timeline.transactions
        var renewalInfos = timeline.renewals
        renewalInfos.sort { $0.isOutweighed(by: $1) }
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
        originalPurchaseDate =
            transactions.last { $0.source.rank == .jws && $0.value.originalPurchaseDate != nil }?
            .value.originalPurchaseDate
        previousOriginalTransactionIds = transactions.distinct(\.previousOriginalTransactionId)
        appTransactionIds = transactions.distinct(\.appTransactionId, renewalInfos.distinct(\.appTransactionId))
        subscriptionGroupIdentifiers = transactions.distinct(\.subscriptionGroupIdentifier)
        let originalTransactionId = AppleID(existing: key.originalTransactionId)
        isFirstTransactionKnown = transactions.contains { $0.value.transactionId == originalTransactionId }
    }
}

extension Array {
    /// Returns the stated values of a field, each once. Nearly all observations of a key state the same one.
    fileprivate func distinct<Value, Member: Equatable>(
        _ member: (Value) -> Member?, _ others: [Member] = []
    ) -> [Member] where Element == Observed<Value> {
        var distinct = others
        for observation in self {
            guard let found = member(observation.value), !distinct.contains(found) else { continue }
            distinct.append(found)
        }
        return distinct
    }
}
