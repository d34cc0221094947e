import AppStoreModel
import Primitives

/// The identity of a purchase. A restore creates a new transactionId for the same line item, or for the same
/// non-consumable.
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

/// A transactionId with all its observations.
private struct TransactionCopies {
    /// In the total order.
    let copies: [Observed<TransactionFact>]
    /// The observation that decides immutable fields: the highest rank, then the newest.
    let settled: TransactionFact
    let purchaseDate: Instant

    /// Creates the copies of a transaction; nil without a purchaseDate, which decides when it counts.
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

/// The transactions of one purchase, oldest first; never empty.
private struct Purchase {
    private(set) var transactions: [TransactionCopies]
    private(set) var revocations: [Revocation] = []
    private let reversals: [Observed<NotificationFact>]

    init(_ first: TransactionCopies, reversals: [Observed<NotificationFact>]) {
        transactions = [first]
        self.reversals = reversals
        revocations = revocationsOfAll
    }

    /// Returns the purchases among transactions of one identity. A transaction made while the previous purchase is
    /// revoked is a purchase of its own (family sharing regained, a non-consumable bought again).
    static func all(
        in transactions: [TransactionCopies], reversals: [Observed<NotificationFact>]
    ) -> [Purchase] {
        var purchases: [Purchase] = []
        for transaction in transactions.sorted(by: { $0.isOlder(than: $1) }) {
            if let last = purchases.last, !last.revocations.contains(where: { $0.covers(transaction.purchaseDate) }) {
                purchases[purchases.count - 1].append(transaction)
            } else {
                purchases.append(Purchase(transaction, reversals: reversals))
            }
        }
        return purchases
    }

    private mutating func append(_ transaction: TransactionCopies) {
        transactions.append(transaction)
        let isRevoked = transaction.copies.contains { $0.value.revocation != nil }
        if isRevoked || !revocations.isEmpty { revocations = revocationsOfAll }
    }

    /// The revocations of all copies. The purchase is revoked if any copy is, reversed if a reversal names any copy.
    private var revocationsOfAll: [Revocation] {
        guard transactions.contains(where: { $0.copies.contains { $0.value.revocation != nil } }) else { return [] }
        let copies = transactions.flatMap(\.copies).map { ($0.source.name.digest, $0.source.time) }
        let times = Dictionary(copies, uniquingKeysWith: { first, _ in first })
        let naming = reversals.compactMap { reversal -> Reversal? in
            guard let evidence = reversal.value.signedTransactionInfo.flatMap({ times[$0] }) else { return nil }
            return Reversal(source: reversal.source, evidenceTime: evidence)
        }
        return transactions.flatMap { Revocation.all(in: $0.copies, reversedBy: naming) }
            .sorted { $0.source.precedes($1.source) }
    }
}

extension Period {
    /// Returns the periods of one key's transactions.
    /// - Parameters: both in the total order.
    static func known(
        transactions: [Observed<TransactionFact>], notifications: [Observed<NotificationFact>]
    ) -> [Period] {
        let reversals = notifications.filter { $0.value.notificationType == .refundReversed }
        let byTransactionId = Dictionary(grouping: transactions, by: \.value.transactionId)
        let byIdentity = Dictionary(grouping: byTransactionId.values.compactMap(TransactionCopies.init)) {
            PurchaseIdentity($0.settled)
        }
        return byIdentity.values.flatMap { Purchase.all(in: $0, reversals: reversals).map(Period.init) }
    }

    private init(_ purchase: Purchase) {
        let first = purchase.transactions[0].settled
        let everyCopy = purchase.transactions.flatMap(\.copies).sorted { $0.source.precedes($1.source) }
        basis = .transaction
        transactionId = first.transactionId
        productId = first.productId
        subscriptionGroupIdentifier = first.subscriptionGroupIdentifier
        type = first.type
        inAppOwnershipType = first.inAppOwnershipType
        transactionReason = first.transactionReason
        offer = first.offer
        price = first.price
        storefront = first.storefront
        commitment = first.commitment
        start = purchase.transactions[0].purchaseDate
        let ends = everyCopy.compactMap { copy in
            copy.value.expiresDate.map { Observed(source: copy.source, value: $0) }
        }
        // A copy that repeats the end stated before states nothing new. It does not undo an extension that only a
        // renewal info states.
        expiresDate = first.type == .nonConsumable ? StepFunction([]) : StepFunction(ends).changes
        revocations = purchase.revocations
        isMarkedUpgraded = everyCopy.contains(where: \.value.isUpgraded)
        sources = everyCopy.map(\.source)
    }
}
