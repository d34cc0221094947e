import AppStoreModel
import LedgerModel
package import Primitives

extension SubscriptionState {
    /// A row of `state`.
    package var json: JSONValue {
        .object(key.members + members)
    }

    private var members: [JSONValue.Member] {
        [
            .init("productId", JSONValue(productId)),
            .init("status", .string(status.rawValue)),
            .init("entitled", .bool(entitled)),
            .init("access", .string(access.rawValue)),
            .init("willRenew", JSONValue(willRenew)),
            .init("pendingProductId", JSONValue(pendingProductId)),
            .init("ownership", JSONValue(ownership?.rawValue)),
            .init("purchasedAt", JSONValue(purchasedAt)),
            .init("expiresAt", JSONValue(expiresAt)),
            .init("gracePeriodExpiresAt", JSONValue(gracePeriodExpiresAt)),
            .init("revokedAt", JSONValue(revokedAt)),
            .init("priceIncrease", JSONValue(priceIncrease?.rawValue)),
            .init("reason", .string(reason.rawValue)),
            .init("nextStep", .string(nextStep.rawValue)),
            .init("evidence", JSONValue(positions: evidence)),
        ]
    }
}

extension SubscriptionHistory {
    /// A row of `history`; `explained` adds the rule behind each transition and its words.
    package func json(explained: Bool) -> JSONValue {
        let rows = transitions.map { $0.json(explained: explained) }
        return .object(key.members + [.init("transitions", .array(rows))])
    }
}

extension Transition {
    fileprivate func json(explained: Bool) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("at", JSONValue(at)),
            .init("from", JSONValue(from?.status.rawValue)),
            .init("to", .string(to.status.rawValue)),
            .init("cause", .string(cause.name)),
            .init("productId", JSONValue(to.productId)),
            .init("transactionId", JSONValue(to.transactionId)),
            .init("expiresAt", JSONValue(to.expiresAt)),
            .init("reason", .string(to.reason.rawValue)),
            .init("recordedAt", JSONValue(recordedAt)),
            .init("evidence", JSONValue(positions: evidence)),
            .init("access", .string(to.access.rawValue)),
            .init("willRenew", JSONValue(to.willRenew)),
        ]
        if explained {
            members.append(.init("rule", .string(to.rule.name)))
            members.append(.init("words", .string(to.words)))
        }
        return .object(members)
    }
}

extension SubscriptionKey {
    fileprivate var members: [JSONValue.Member] {
        [
            .init("environment", .string(environment.rawValue)),
            .init("bundleId", .string(bundleId)),
            .init("originalTransactionId", .string(originalTransactionId)),
        ]
    }
}

extension JSONValue {
    /// Positions are counts of events, far below 2^63.
    fileprivate init(positions: [Position]) {
        self = .array(positions.map { .integer(Int64(clamping: $0)) })
    }
}
