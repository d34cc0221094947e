import AppStoreModel
import Primitives

/// The statements of a key that its notifications carry. A retried notification has a new signature but carries the old
/// statement.
struct CarriedStatements {
    let transactions: StatementIndex<TransactionFact>
    let renewalInfos: StatementIndex<RenewalFact>

    init(transactions: [Observed<TransactionFact>], renewalInfos: [Observed<RenewalFact>]) {
        self.transactions = StatementIndex(transactions)
        self.renewalInfos = StatementIndex(renewalInfos)
    }

    /// Returns the signedDate of the renewal info that the notification carries, else of its transaction, else its own.
    func time(of notification: Observed<NotificationFact>) -> Instant {
        notification.value.signedRenewalInfo.flatMap(time) ?? notification.value.signedTransactionInfo.flatMap(time)
            ?? notification.source.time
    }

    private func time(signedAs digest: Digest) -> Instant? {
        if let index = renewalInfos[digest] { return renewalInfos.statements[index].source.time }
        return transactions[digest].map { transactions.statements[$0].source.time }
    }
}

/// Statements by the digests of their evidence.
struct StatementIndex<Value: Hashable & BitwiseCopyable & Sendable> {
    let statements: [Observed<Value>]
    /// Indices in the order of the digests. Few statements are searched one by one.
    private let order: [Int]

    init(_ statements: [Observed<Value>]) {
        self.statements = statements
        order =
            statements.count > 16
            ? statements.indices.sorted { statements[$0].source.name.digest < statements[$1].source.name.digest } : []
    }

    /// Returns the index of the first statement with this digest.
    /// - Complexity: O(log n).
    subscript(digest: Digest) -> Int? {
        guard !order.isEmpty else { return statements.indices.first { statements[$0].source.name.digest == digest } }
        let place = order.partitioningIndex { statements[$0].source.name.digest >= digest }
        guard place < order.endIndex, statements[order[place]].source.name.digest == digest else { return nil }
        return order[place]
    }
}
