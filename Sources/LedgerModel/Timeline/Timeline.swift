import AppStoreModel
package import Primitives

/// The set of observations of one key. Merging is set union, which is commutative, associative and idempotent. The
/// order, number and grouping of deliveries therefore cannot change the result of a fold.
///
/// Each list is in the total order, without duplicate names. Of several carriers, the one with the smallest position is
/// kept.
package struct Timeline: Hashable, Sendable {
    package let transactions: [Observed<TransactionFact>]
    package let renewals: [Observed<RenewalFact>]
    package let notifications: [Observed<NotificationFact>]

    package init(_ observations: some Sequence<Observation> = []) {
        var lists = ObservationLists()
        for observation in observations { lists.append(observation) }
        self = lists.timeline ?? Timeline(transactions: [], renewals: [], notifications: [])
    }

    /// Creates a timeline from the observations of each kind, in any order and with any repetitions.
    /// - Complexity: O(n log n), and O(n) for observations in the total order.
    package init(
        transactions: [Observed<TransactionFact>], renewals: [Observed<RenewalFact>],
        notifications: [Observed<NotificationFact>]
    ) {
        self.transactions = transactions.inTotalOrder()
        self.renewals = renewals.inTotalOrder()
        self.notifications = notifications.inTotalOrder()
    }

    package func union(_ other: Timeline) -> Timeline {
        Timeline(
            transactions: transactions + other.transactions, renewals: renewals + other.renewals,
            notifications: notifications + other.notifications)
    }

    /// Returns the timeline as known when the log contained `size` events.
    ///
    /// An observation carried by several events keeps the smallest of their positions. That position is below `size`
    /// exactly when any of them is, so filtering the whole set gives the set of the first events.
    package func known(at size: Position) -> Timeline {
        Timeline(
            transactions: transactions.filter { $0.source.position < size },
            renewals: renewals.filter { $0.source.position < size },
            notifications: notifications.filter { $0.source.position < size })
    }
}

extension Timeline {
    /// Returns the timeline of the observations signed by an instant, whatever their source.
    package func signed(by t: Instant) -> Timeline {
        Timeline(
            transactions: transactions.filter { $0.source.time <= t },
            renewals: renewals.filter { $0.source.time <= t },
            notifications: notifications.filter { $0.source.time <= t })
    }

    /// Returns the number of purchases and revocations dated by an instant of which nothing signed by then speaks.
    /// Apple's API signs at request time, so a ledger that was filled later has many.
    package func countSignedLater(than t: Instant) -> Int {
        var purchases: [AppleID: Bool] = [:]
        var revocations: [AppleID: Bool] = [:]
        for observed in transactions {
            let (fact, isSigned) = (observed.value, observed.source.time <= t)
            if let date = fact.purchaseDate, date <= t {
                purchases[fact.transactionId] = purchases[fact.transactionId] == true || isSigned
            }
            if let date = fact.revocation?.revocationDate, date <= t {
                revocations[fact.transactionId] = revocations[fact.transactionId] == true || isSigned
            }
        }
        return (Array(purchases.values) + Array(revocations.values)).count { !$0 }
    }

    /// All observations, in the total order.
    package var observations: [Observation] {
        let all =
            transactions.map { Observation(source: $0.source, fact: .transaction($0.value)) }
            + renewals.map { Observation(source: $0.source, fact: .renewal($0.value)) }
            + notifications.map { Observation(source: $0.source, fact: .notification($0.value)) }
        return all.sorted { $0.source.precedes($1.source) }
    }

    /// The receipts of iOS 6, which only Apple can verify.
    package var transactionReceipts: [Source] {
        notifications.lazy.map(\.source).filter { $0.rank == .transactionReceipt }
    }

    package var count: Int { transactions.count + renewals.count + notifications.count }
    package var isEmpty: Bool { count == 0 }
}

extension Array {
    /// Returns the observations in the total order, each name once.
    fileprivate func inTotalOrder<Value>() -> [Observed<Value>] where Element == Observed<Value> {
        // Stored observations of one key mostly are in this order.
        if indices.dropFirst().allSatisfy({ self[$0 - 1].source.precedes(self[$0].source) }) { return self }
        let sorted = sorted { left, right in
            left.source.name == right.source.name
                ? left.source.position < right.source.position : left.source.precedes(right.source)
        }
        var distinct: [Observed<Value>] = []
        distinct.reserveCapacity(sorted.count)
        for observation in sorted where observation.source.name != distinct.last?.source.name {
            distinct.append(observation)
        }
        return distinct
    }
}
