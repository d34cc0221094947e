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
        // Not every statement about a purchase has its type.
        let ids = Set(oneTime.map(\.value.transactionId))
        let statements = timeline.transactions.filter { ids.contains($0.value.transactionId) }
        return Dictionary(grouping: statements, by: \.value.transactionId).values
            .compactMap(OneTimePurchase.init)
            .sorted { left, right in
                left.purchasedAt == right.purchasedAt
                    ? left.transactionId.isSmaller(than: right.transactionId) : left.purchasedAt < right.purchasedAt
            }
    }

    /// - Parameter statements: the statements of one transaction, in the total order.
    private init?(_ statements: [Observed<TransactionFact>]) {
        let rank = statements.map(\.source.rank).max()
        let dates = statements.flatMap { [$0.value.purchaseDate, $0.value.originalPurchaseDate] }.compactMap(\.self)
        // A restore gives the purchase another date; the original one remains.
        let typed = statements.filter { $0.value.type != nil }
        let typeRank = typed.map(\.source.rank).max()
        guard let newest = statements.last(where: { $0.source.rank == rank })?.value,
            let type = typed.last(where: { $0.source.rank == typeRank })?.value.type,
            newest.purchaseDate != nil, let purchasedAt = dates.min()
        else { return nil }
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
            } else if let revoked = start, statement.source.rank == .jws {
                // Only a JWS lifts a revocation.
                if revoked < statement.source.time { revocations.append(revoked..<statement.source.time) }
                start = nil
            }
        }
        if let start { revocations.append(start..<Instant(milliseconds: .max)) }
        self.revocations = revocations
    }
}
