package import AppStoreModel
package import Primitives

/// A consumable or a non-renewing subscription: one transaction with its refunds.
package struct OneTimePurchase: Hashable, Sendable {
    package let transactionId: AppleID
    package let productId: Symbol?
    package let type: ProductType
    package let quantity: Int64
    package let purchasedAt: Instant
    package let price: TransactionFact.Price?
    /// The ranges in which the purchase is refunded, ascending: from a revocationDate to the signing of the first later
    /// statement without one. The last range may have no end.
    package let revocations: [Range<Instant>]

    /// Returns the date of the refund in force at `t`.
    package func revokedAt(at t: Instant) -> Instant? {
        revocations.last { $0.contains(t) }?.lowerBound
    }

    /// The instants at which an answer about the purchase may change.
    package var turningPoints: [Instant] {
        [purchasedAt] + revocations.flatMap { [$0.lowerBound, $0.upperBound] }
    }
}

extension OneTimePurchase {
    /// Returns the one-time purchases of one key, oldest first.
    package static func all(in timeline: Timeline) -> [OneTimePurchase] {
        let oneTime = timeline.transactions.filter { $0.value.type == .consumable || $0.value.type == .nonRenewing }
        guard !oneTime.isEmpty else { return [] }
        return Dictionary(grouping: oneTime, by: \.value.transactionId).values
            .compactMap(OneTimePurchase.init)
            .sorted { ($0.purchasedAt, $0.transactionId) < ($1.purchasedAt, $1.transactionId) }
    }

    /// - Parameter statements: the statements of one transaction, in the total order.
    private init?(_ statements: [Observed<TransactionFact>]) {
        guard let newest = statements.last?.value, let type = newest.type, let purchasedAt = newest.purchaseDate else {
            return nil
        }
        transactionId = newest.transactionId
        productId = newest.productId
        self.type = type
        quantity = newest.quantity ?? 1
        self.purchasedAt = purchasedAt
        price = statements.last { $0.value.price != nil }?.value.price
        var revocations: [Range<Instant>] = []
        var start: Instant?
        for statement in statements {
            if let revocation = statement.value.revocation {
                start = start ?? revocation.revocationDate
            } else if let revoked = start {
                if revoked < statement.source.time { revocations.append(revoked..<statement.source.time) }
                start = nil
            }
        }
        if let start { revocations.append(start..<Instant(milliseconds: .max)) }
        self.revocations = revocations
    }
}
