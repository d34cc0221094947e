import AppStoreModel
import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionStatus

/// The contents of a customer's answer in one scope at an instant.
struct CustomerState: Sendable {
    private var subscriptions: [(state: SubscriptionState, row: Rendered<SubscriptionRow>)]
    private var purchases: [(key: SubscriptionKey, row: PurchaseRow)]
    private var conflicts: [(key: SubscriptionKey, row: ConflictRow)]

    /// - Parameter timelines: nil for an unused id.
    init(of timelines: CustomerTimelines?, at t: Instant, rules: Rules, scope: CustomerScope) {
        let owned = OwnedSubscriptions(of: timelines, at: t, rules: rules, scope: scope)
        subscriptions = owned.lineages.states(at: t, rules: rules).filter { owned.keys.contains($0.key) }
            .map { ($0, Rendered(SubscriptionRow($0))) }
        purchases = owned.purchases(at: t)
        conflicts = owned.conflicts.map { ($0.key, ConflictRow($0, askedBy: timelines?.owner)) }
    }

    var rowCount: Int { subscriptions.count + purchases.count + conflicts.count }

    /// Returns the answer restricted to these keys, without the other party of conflicts.
    func limited(to keys: Set<SubscriptionKey>) -> CustomerState {
        var limited = self
        limited.subscriptions.removeAll { !keys.contains($0.state.key) }
        limited.purchases.removeAll { !keys.contains($0.key) }
        limited.conflicts.removeAll { !keys.contains($0.key) }
        for index in limited.conflicts.indices { limited.conflicts[index].row.with = nil }
        return limited
    }

    func answer(
        id: String?, handle: String? = nil, asOf: Instant, knownAt: Position
    ) -> CustomerAnswer<SubscriptionRow> {
        CustomerAnswer(
            id: id, handle: handle, asOf: asOf, knownAt: knownAt,
            entitled: subscriptions.contains(where: \.state.entitled), subscriptions: subscriptions.map { $0.row },
            purchases: purchases.map { $0.row },
            conflicts: conflicts.map(\.row),
            nextStep: CustomerNextStep.of(subscriptions.map { .init($0.state) }).rawValue)
    }

    /// Returns the answer of `state --customer`.
    func answer(asOf: Instant, knownAt: Position) -> Answer<SubscriptionRow> {
        Answer(asOf: asOf, knownAt: knownAt, subscriptions: subscriptions.map(\.row.row))
    }
}

extension OwnedSubscriptions {
    fileprivate func purchases(at t: Instant) -> [(key: SubscriptionKey, row: PurchaseRow)] {
        purchases.flatMap { key, purchases in
            purchases.filter { $0.purchasedAt <= t }.map { (key, PurchaseRow($0, of: key, at: t)) }
        }
        .sorted { left, right in
            (left.row.purchasedAt, left.row.transactionId) < (right.row.purchasedAt, right.row.transactionId)
        }
    }
}

extension CustomerTimelines {
    /// Returns the range around `t` in which the state stays the same.
    func validity(around t: Instant, rules: Rules) -> Range<Instant> {
        var range = Instant(milliseconds: .min)..<Instant(milliseconds: .max)
        func narrow(_ turn: Instant) {
            range =
                turn <= t
                ? max(range.lowerBound, turn)..<range.upperBound : range.lowerBound..<min(range.upperBound, turn)
        }
        lineages.turningPoints(rules: rules).forEach(narrow)
        for evidence in evidence { evidence.tokens.steps.forEach { narrow($0.from) } }
        for purchases in purchases.values { purchases.forEach { $0.turningPoints.forEach(narrow) } }
        return range
    }
}

extension PurchaseRow {
    fileprivate init(_ purchase: OneTimePurchase, of key: SubscriptionKey, at t: Instant) {
        self.init(
            transactionId: purchase.transactionId.text, id: SubscriptionID(key), productId: purchase.productId?.text,
            type: purchase.type.rawValue, quantity: purchase.quantity, purchasedAt: purchase.purchasedAt,
            revokedAt: purchase.revokedAt(at: t), price: purchase.price?.price, currency: purchase.price?.currency?.text
        )
    }
}

extension ConflictRow {
    /// - Parameter asker: the customer whose answer contains the row.
    fileprivate init(_ conflict: OwnershipConflict, askedBy asker: Ownership.Owner?) {
        let isClaimant = asker == .customer(conflict.claimant)
        let with = isClaimant ? conflict.owner : .customer(conflict.claimant)
        self.init(
            id: SubscriptionID(conflict.key), with: with.text,
            because: isClaimant
                ? "The purchase was posted for this customer but belongs to another known customer."
                : "The purchase was also posted for another known customer, whose claim was refused.",
            remedy: Advice.transfer)
    }
}
