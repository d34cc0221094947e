package import AppStoreModel
package import Primitives

/// The identity of a purchase. A restore creates a new transactionId for the same line item, or for the same
/// non-consumable.
package enum PurchaseIdentity: Hashable, Sendable {
    case lineItem(productId: Symbol?, webOrderLineItemId: AppleID)
    case nonConsumable
    case transaction(AppleID)

    fileprivate init(_ fact: TransactionFact) {
        if fact.type == .nonConsumable {
            self = .nonConsumable
        } else if let item = fact.webOrderLineItemId {
            self = .lineItem(productId: fact.productId, webOrderLineItemId: item)
        } else {
            self = .transaction(fact.transactionId)
        }
    }
}

/// A purchase among those of its key and product.
package struct PurchaseName: Hashable, Sendable {
    package let identity: PurchaseIdentity
    /// From 1 on. What was revoked and bought again is another purchase of the same identity.
    package let number: Int
}

/// A transactionId with all its observations.
private struct TransactionCopies {
    /// In the total order.
    let copies: ArraySlice<Observed<TransactionFact>>
    /// The observation that decides immutable fields: the highest rank, then the newest.
    private let settledIndex: Int
    let purchaseDate: Instant
    private(set) var identity: PurchaseIdentity

    /// Creates the copies of a transaction; nil without a purchaseDate, which decides when it counts, and for a
    /// transaction that only notifications of version 1 state: nothing proves those.
    init?(_ copies: ArraySlice<Observed<TransactionFact>>) {
        guard copies.contains(where: { $0.source.rank != .notificationV1 }) else { return nil }
        var best = copies.startIndex
        for index in copies.indices where copies[index].source.rank >= copies[best].source.rank { best = index }
        guard let purchaseDate = copies[best].value.purchaseDate else { return nil }
        self.copies = copies
        self.purchaseDate = purchaseDate
        settledIndex = best
        identity = PurchaseIdentity(Self.settled(copies, best))
    }

    var isNonConsumable: Bool { identity == .nonConsumable }

    /// Whether no source states the type, and none an end.
    var lacksType: Bool { copies.allSatisfy { $0.value.type == nil && $0.value.expiresDate == nil } }

    /// Returns the copies as those of a restored non-consumable.
    func restored() -> TransactionCopies {
        var restored = self
        restored.identity = .nonConsumable
        return restored
    }

    /// The immutable fields. Those that the deciding source cannot state come from the others, a higher rank first.
    var settled: TransactionFact { Self.settled(copies, settledIndex) }

    private static func settled(_ copies: ArraySlice<Observed<TransactionFact>>, _ index: Int) -> TransactionFact {
        let best = copies[index]
        guard best.source.rank != .jws, copies.count > 1 else { return best.value }
        return copies.sorted {
            $0.source.rank == $1.source.rank ? $1.source.precedes($0.source) : $0.source.rank > $1.source.rank
        }
        .reduce(into: best.value) { $0.complete(from: $1.value) }
    }

    var isRevoked: Bool { copies.contains { $0.value.revocation != nil } }

    private var transactionId: AppleID { copies[settledIndex].value.transactionId }

    func isOlder(than other: TransactionCopies) -> Bool {
        purchaseDate == other.purchaseDate
            ? transactionId.isSmaller(than: other.transactionId) : purchaseDate < other.purchaseDate
    }
}

extension TransactionFact {
    /// Takes over fields that only other sources state.
    fileprivate mutating func complete(from other: TransactionFact) {
        webOrderLineItemId = webOrderLineItemId ?? other.webOrderLineItemId
        subscriptionGroupIdentifier = subscriptionGroupIdentifier ?? other.subscriptionGroupIdentifier
        type = type ?? other.type
        inAppOwnershipType = inAppOwnershipType ?? other.inAppOwnershipType
        originalPurchaseDate = originalPurchaseDate ?? other.originalPurchaseDate
        if offer == nil || offer?.isInferred == true && other.offer?.isInferred == false {
            offer = other.offer ?? offer
        }
        quantity = quantity ?? other.quantity
    }

    /// Whether the purchase renews by itself, as far as the fact tells.
    fileprivate var isRenewable: Bool { type == .autoRenewable || type == nil && expiresDate != nil }
}

extension TransactionFact.Offer {
    /// Whether a flag of a receipt may be its source: Apple also sets it for free periods of other offers.
    fileprivate var isInferred: Bool { offerType == .introductory && offerIdentifier == nil }
}

extension [TransactionCopies] {
    /// Joins purchases whose type no source states with the non-consumable that they restore.
    fileprivate mutating func joinRestores() {
        guard contains(where: \.isNonConsumable) else { return }
        for index in indices where self[index].lacksType { self[index] = self[index].restored() }
    }
}

/// The statements about reversals and upgrades of one subscription.
struct RevocationContext {
    let reversals: [Observed<NotificationFact>]
    /// Whether a source of the subscription marks upgraded purchases.
    let upgradesAreMarked: Bool
    /// The dates of purchases that notifications of version 1 alone state. They are no periods.
    let unprovenPurchases: [Instant]

    private static let tolerance: Int64 = 60_000

    /// Whether a notification of version 1 states that the purchase gave way to another one, which nothing else proves yet.
    func isUnprovenUpgrade(_ copy: Observed<TransactionFact>, _ revocation: TransactionFact.Revocation) -> Bool {
        guard copy.source.rank == .notificationV1 else { return false }
        return copy.value.isUpgraded
            || unprovenPurchases.contains {
                abs($0.milliseconds - revocation.revocationDate.milliseconds) <= Self.tolerance
            }
    }
}

/// The transactions of one purchase.
private struct Purchase {
    /// The oldest transaction.
    let first: TransactionCopies
    /// The transactions of restores, oldest first.
    private var others: [TransactionCopies] = []
    private(set) var revocations: [Revocation] = []
    private let context: RevocationContext
    /// The number among the purchases of the same identity, from 1 on.
    private let number: Int

    init(_ first: TransactionCopies, _ context: RevocationContext, number: Int = 1) {
        self.first = first
        self.context = context
        self.number = number
        if first.isRevoked { revocations = revocationsOfAll }
    }

    /// Returns the purchases among transactions of one identity. A transaction made while the previous purchase is
    /// revoked is a purchase of its own (family sharing regained, a non-consumable bought again).
    static func all(in transactions: ArraySlice<TransactionCopies>, _ context: RevocationContext) -> [Purchase] {
        var purchases: [Purchase] = []
        for transaction in transactions.sorted(by: { $0.isOlder(than: $1) }) {
            if let last = purchases.last, !last.revocations.contains(where: { $0.covers(transaction.purchaseDate) }) {
                purchases[purchases.count - 1].append(transaction)
            } else {
                purchases.append(Purchase(transaction, context, number: purchases.count + 1))
            }
        }
        return purchases
    }

    private mutating func append(_ transaction: TransactionCopies) {
        others.append(transaction)
        if transaction.isRevoked || !revocations.isEmpty { revocations = revocationsOfAll }
    }

    var name: PurchaseName { PurchaseName(identity: first.identity, number: number) }

    /// The start. A restore gives what does not renew by itself another purchaseDate; its originalPurchaseDate remains.
    /// That of a renewal is the date of another transaction.
    var start: Instant {
        guard number == 1, !first.copies.contains(where: \.value.isRenewable) else { return first.purchaseDate }
        return everyCopy.reduce(first.purchaseDate) { start, copy in
            [start, copy.value.purchaseDate, copy.value.originalPurchaseDate].compactMap(\.self).min() ?? start
        }
    }

    /// The observations of all transactions, in the total order.
    var everyCopy: ArraySlice<Observed<TransactionFact>> {
        guard !others.isEmpty else { return first.copies }
        return (first.copies + others.flatMap(\.copies)).sorted { $0.source.precedes($1.source) }[...]
    }

    /// The revocations of all copies. The purchase is revoked if any copy is, reversed if a reversal names any copy.
    private var revocationsOfAll: [Revocation] {
        let times = Dictionary(everyCopy.map { ($0.source.name.digest, $0.source.time) }) { first, _ in first }
        let naming = context.reversals.compactMap { reversal -> Reversal? in
            guard let evidence = reversal.value.signedTransactionInfo.flatMap({ times[$0] }) else { return nil }
            return Reversal(source: reversal.source, evidenceTime: evidence)
        }
        return ([first] + others).flatMap {
            Revocation.all(in: $0.copies, reversedBy: naming, context)
        }.sorted { $0.source.precedes($1.source) }
    }
}

extension Period {
    /// Returns the periods of one key's transactions.
    /// - Parameters: both in the total order.
    static func known(
        transactions: [Observed<TransactionFact>], notifications: [Observed<NotificationFact>]
    ) -> [Period] {
        var (copies, unproven): ([TransactionCopies], [Instant]) = ([], [])
        for transaction in Groups(transactions, by: \.value.transactionId) {
            if let stated = TransactionCopies(transaction) {
                copies.append(stated)
            } else {
                unproven += transaction.compactMap(\.value.purchaseDate)
            }
        }
        copies.joinRestores()
        let context = RevocationContext(
            reversals: notifications.filter { $0.value.notificationType == .refundReversed },
            upgradesAreMarked: transactions.contains(where: \.value.isUpgraded), unprovenPurchases: unproven)
        var periods: [Period] = []
        periods.reserveCapacity(copies.count)
        for transactions in Groups(copies, by: \.identity) {
            if transactions.count == 1 {
                periods.append(Period(Purchase(transactions[transactions.startIndex], context)))
            } else {
                periods += Purchase.all(in: transactions, context).map(Period.init)
            }
        }
        return periods
    }

    private init(_ purchase: Purchase) {
        let first = purchase.first.settled
        let everyCopy = purchase.everyCopy
        self.init(
            Content(
                basis: .transaction, name: purchase.name, transactionId: first.transactionId,
                productId: first.productId,
                subscriptionGroupIdentifier: first.subscriptionGroupIdentifier, type: first.type,
                inAppOwnershipType: first.inAppOwnershipType, transactionReason: first.transactionReason,
                offer: first.offer, price: first.price, storefront: first.storefront, commitment: first.commitment,
                start: purchase.start,
                expiresDate: StepFunction(
                    statements: first.type == .nonConsumable ? ShortList() : Self.changesOfEnd(in: everyCopy)),
                revocations: purchase.revocations, isMarkedUpgraded: everyCopy.contains(where: \.value.isUpgraded),
                sources: ShortList(everyCopy.lazy.map(\.source))))
    }

    /// Returns the stated ends. A copy that repeats the end stated before states nothing new. It does not undo an
    /// extension that only a renewal info states. After a JWS, another source only states later ends: replicas of
    /// Apple's that lag state the old one under a new date. A notification of version 1 states none.
    private static func changesOfEnd(
        in copies: ArraySlice<Observed<TransactionFact>>
    ) -> ShortList<Observed<Instant>> {
        var (changes, newest): (_, Instant?) = (ShortList<Observed<Instant>>(), nil)
        var isSigned = false
        for index in copies.indices {
            let isJWS = copies[index].source.rank == .jws
            defer { isSigned = isSigned || isJWS }
            guard let end = copies[index].value.expiresDate, end != newest,
                copies[index].source.rank != .notificationV1
            else { continue }
            if !isJWS, isSigned, let newest, end < newest { continue }
            changes.append(Observed(source: copies[index].source, value: end))
            newest = end
        }
        return changes
    }
}
