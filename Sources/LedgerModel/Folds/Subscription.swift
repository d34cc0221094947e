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
    private let transactions: [Observed<TransactionFact>]
    /// In ascending order of precedence.
    private let renewalInfos: [Observed<RenewalFact>]
    /// In the total order.
    package let notifications: [Observed<NotificationFact>]
    /// The receipts of iOS 6, which only Apple can verify.
    package let transactionReceipts: [Source]
    /// Each once.
    package let previousOriginalTransactionIds: [AppleID]

    package init(key: SubscriptionKey, timeline: Timeline) {
        self.key = key
        transactions = timeline.transactions
        transactionReceipts = timeline.transactionReceipts
        notifications =
            transactionReceipts.isEmpty
            ? timeline.notifications : timeline.notifications.filter { $0.source.rank != .transactionReceipt }
        renewalInfos = timeline.renewals.withoutGroundlessRemovals.inOrderOfPrecedence
        var collector = PeriodCollector(
            Period.known(transactions: transactions, notifications: notifications),
            carried: CarriedStatements(transactions: transactions, renewalInfos: renewalInfos))
        collector.apply(renewalInfos, notifications: notifications)
        collector.assign(renewalInfos, notifications: notifications)
        periods = collector.periods
        previousOriginalTransactionIds =
            timeline.transactions.indices.lazy
            .compactMap { timeline.transactions[$0].value.previousOriginalTransactionId }.distinct
    }
}

extension Subscription {
    /// The signing times of the renewal infos, ascending.
    package var renewalInfoTimes: [Instant] { renewalInfos.map(\.source.time) }

    /// The key's original purchase date, as stated by a JWS.
    package var originalPurchaseDate: Instant? {
        for index in transactions.indices.reversed() where transactions[index].source.rank == .jws {
            if let date = transactions[index].value.originalPurchaseDate { return date }
        }
        return nil
    }

    /// The Apple accounts, each once.
    package var appTransactionIds: [AppleID] {
        (renewalInfos.compactMap(\.value.appTransactionId) + transactions.compactMap(\.value.appTransactionId)).distinct
    }

    package var subscriptionGroupIdentifiers: [Symbol] {
        transactions.lazy.compactMap(\.value.subscriptionGroupIdentifier).distinct
    }

    /// Whether the first purchases are known: the transaction that began the key, whose transactionId is the key's
    /// originalTransactionId, or a source that states every purchase of the key. Some of those lack that transaction.
    package var isBeginningKnown: Bool {
        transactions.contains {
            $0.source.rank != .notificationV1
                && ($0.value.transactionId == key.originalTransaction || $0.value.isOfFullHistory)
        }
    }

    /// The keys that receipts and answers of verifyReceipt state beside this one, each once.
    package var companions: [AppleID] { transactions.lazy.compactMap(\.value.companion).distinct }
}

extension Sequence where Element: Equatable {
    /// The elements, each once. Nearly all observations of a key state the same one.
    fileprivate var distinct: [Element] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
