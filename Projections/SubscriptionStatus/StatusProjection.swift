import AppStoreModel
package import LedgerModel
package import Primitives

/// The state of every subscription at one instant: the rows of `state`.
package enum StatusProjection: Projection {
    package static let name = "subscription-status"
    package static let version: Int64 = 3
    package static let readsCustomers = false

    package static func entries(
        of unit: UnitFacts, at t: Instant, rules: Rules
    ) -> [ProjectionEntry<SubscriptionState>] {
        let lineages = unit.lineages
        // The state of a key also depends on whether another subscription of the account is entitled.
        let validUntil = lineages.nextTurningPoint(after: t, rules: rules)
        var states = lineages.states(at: t, rules: rules)[...]
        let keys = lineages.count == 1 ? lineages[0].keys : lineages.flatMap(\.keys).sorted()
        return keys.compactMap { key in
            let state = states.first?.key == key ? states.popFirst() : nil
            guard state != nil || validUntil != nil else { return nil }
            return ProjectionEntry(key: key, rows: state.map { [$0] } ?? [], validUntil: validUntil)
        }
    }

    /// The members of a row of `state`, by the same names.
    package static let columns: [Column<SubscriptionState>] = [
        .text("environment") { $0.key.environment.rawValue },
        .text("bundleId") { $0.key.bundleId },
        .text("originalTransactionId") { $0.key.originalTransactionId },
        .symbol("productId") { $0.productId },
        .symbol("subscriptionGroupIdentifier") { $0.subscriptionGroupIdentifier },
        .text("transactionId") { $0.transactionId?.text },
        .text("status") { $0.status.rawValue },
        .flag("entitled") { $0.entitled },
        .text("access") { $0.access.rawValue },
        .instant("accessUntil") { $0.accessUntil },
        .flag("willRenew") { $0.willRenew },
        .symbol("pendingProductId") { $0.pendingProductId },
        .text("ownership") { $0.ownership?.rawValue },
        .instant("originalPurchaseDate") { $0.originalPurchaseDate },
        .instant("purchasedAt") { $0.purchasedAt },
        .instant("expiresAt") { $0.expiresAt },
        .instant("gracePeriodExpiresAt") { $0.gracePeriodExpiresAt },
        .instant("revokedAt") { $0.revokedAt },
        .integer("price") { $0.price?.price },
        .symbol("currency") { $0.price?.currency },
        .symbol("storefront") { $0.storefront },
        .object("offer") { $0.offer != nil },
        .text("offer.type") { $0.offer?.offerType?.name },
        .symbol("offer.id") { $0.offer?.offerIdentifier },
        .text("offer.discountType") { $0.offer?.offerDiscountType?.name },
        .symbol("offer.period") { $0.offer?.offerPeriod },
        .text("priceIncrease") { $0.priceIncrease?.rawValue },
        .instant("autoRenewOffSince") { $0.autoRenewOffSince },
        .instant("billingIssueSince") { $0.billingIssueSince },
        .object("commitment") { $0.commitment != nil },
        .instant("commitment.endsAt") { $0.commitment?.endsAt },
        .flag("commitment.willRenew") { $0.commitment?.willRenew },
        .symbol("commitment.productId") { $0.commitment?.productId },
        .integer("commitment.period") { $0.commitment?.period },
        .integer("commitment.of") { $0.commitment?.of },
        .text("reason") { $0.reason.rawValue },
        .text("nextStep") { $0.nextStep.rawValue },
        .texts("offerIds") { $0.offerIds },
        .texts("inferred") { $0.inferred },
        .flag("historyIncomplete") { $0.historyIncomplete },
        .object("disagreement") { $0.disagreement != nil },
        .integer("disagreement.position") { ($0.disagreement?.position).map { Int64($0) } },
        .text("disagreement.signed") { $0.disagreement?.signed.rawValue },
        .text("disagreement.folded") { $0.disagreement?.folded.rawValue },
        .positions("evidence") { $0.evidence },
    ]
}

extension Lineage {
    fileprivate var keys: [SubscriptionKey] { subscriptions.map(\.key) }
}
