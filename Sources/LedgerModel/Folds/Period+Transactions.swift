import AppStoreModel
import Primitives

/// What makes transactions one purchase: a restore mints a new transactionId for the same line item, or for the
/// same non-consumable.
private enum PurchaseIdentity: Hashable {
    case lineItem(productId: String?, webOrderLineItemId: String)
    case nonConsumable
    case transaction(String)

    init(_ fact: TransactionFact) {
        if fact.type == .nonConsumable {
            self = .nonConsumable
        } else if let item = fact.webOrderLineItemId {
            self = .lineItem(productId: fact.productId, webOrderLineItemId: item)
        } else {
            self = .transaction(fact.transactionId)
        }
    }
}

/// One transactionId with every observation of it.
private struct TransactionCopies {
    /// In the total order.
    let copies: [Observed<TransactionFact>]
    /// Highest rank first, then newest: whose word counts for what does not change.
    let settled: TransactionFact
    let purchaseDate: Instant

    /// Nil without a purchaseDate, since nothing then says when it counts.
    init?(_ copies: [Observed<TransactionFact>]) {
        let best = copies.max { left, right in
            left.source.rank == right.source.rank
                ? left.source.precedes(right.source)
                : left.source.rank < right.source.rank
        }
        guard let settled = best?.value, let purchaseDate = settled.purchaseDate else { return nil }
        self.copies = copies
        self.settled = settled
        self.purchaseDate = purchaseDate
    }

    func isOlder(than other: TransactionCopies) -> Bool {
        purchaseDate == other.purchaseDate
            ? settled.transactionId.bytesPrecede(other.settled.transactionId)
            : purchaseDate < other.purchaseDate
    }
}

extension Period {
    /// The periods of one key's transactions.
    /// - Parameters: both in the total order.
    static func known(
        transactions: [Observed<TransactionFact>], notifications: [Observed<NotificationFact>]
    ) -> [Period] {
        let reversals = notifications.filter { $0.value.notificationType == .refundReversed }
        let byTransactionId = Dictionary(grouping: transactions, by: \.value.transactionId)
        let byPurchase = Dictionary(grouping: byTransactionId.values.compactMap(TransactionCopies.init)) {
            PurchaseIdentity($0.settled)
        }
        return byPurchase.values.map { Period($0, reversals: reversals) }
    }

    private init(_ purchase: [TransactionCopies], reversals: [Observed<NotificationFact>]) {
        let transactions = purchase.sorted { $0.isOlder(than: $1) }
        // Groups are never empty.
        let first = transactions[0]
        let everyCopy = transactions.flatMap(\.copies).sorted { $0.source.precedes($1.source) }
        basis = .transaction
        transactionId = first.settled.transactionId
        productId = first.settled.productId
        type = first.settled.type
        inAppOwnershipType = first.settled.inAppOwnershipType
        offer = first.settled.offer
        price = first.settled.price
        start = first.purchaseDate
        expiresDate = StepField(
            first.settled.type == .nonConsumable
                ? []
                : everyCopy.compactMap { copy in
                    copy.value.expiresDate.map { Observed(source: copy.source, value: $0) }
                })
        // Revoked if any copy is.
        revocations = transactions.flatMap { transaction in
            let names = transaction.copies.map(\.source.name.digest)
            let naming = reversals.filter { reversal in names.contains { reversal.value.carries($0) } }
            return Revocation.all(in: transaction.copies, reversedBy: naming)
        }
        .sorted { $0.source.precedes($1.source) }
        isMarkedReplaced = transactions.contains(where: \.settled.isReplaced)
        sources = everyCopy.map(\.source)
    }
}
