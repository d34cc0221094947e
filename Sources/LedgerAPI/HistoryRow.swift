package import Primitives

/// One change of a subscription: a row of `history`.
package struct HistoryRow: Hashable, Sendable {
    package var at: Instant
    /// The names of the changes, in a fixed order.
    package var change: [String]
    /// The status before; nil for the first row.
    package var from: String?
    package var to: String
    package var cause: String
    package var productId: String?
    package var transactionId: String?
    package var expiresAt: Instant?
    package var reason: String
    package var access: String
    package var willRenew: Bool?
    package var pendingProductId: String?
    /// Milliunits of `currency`.
    package var price: Int64?
    package var currency: String?
    package var offer: OfferTerms?
    /// The recorded time of the cause; nil when the cause is time.
    package var recordedAt: Instant?
    package var evidence: [UInt64]
    /// Nil unless explanations are requested.
    package var explanation: Explanation?

    /// The rule that decided the status, and its finding in a sentence.
    package struct Explanation: Hashable, Sendable {
        package var rule: String
        package var sentence: String

        package init(rule: String, sentence: String) {
            self.rule = rule
            self.sentence = sentence
        }
    }

    package init(
        at: Instant, change: [String], from: String?, to: String, cause: String, productId: String?,
        transactionId: String?, expiresAt: Instant?, reason: String, access: String, willRenew: Bool?,
        pendingProductId: String?, price: Int64?, currency: String?, offer: OfferTerms?, recordedAt: Instant?,
        evidence: [UInt64], explanation: Explanation? = nil
    ) {
        self.at = at
        self.change = change
        self.from = from
        self.to = to
        self.cause = cause
        self.productId = productId
        self.transactionId = transactionId
        self.expiresAt = expiresAt
        self.reason = reason
        self.access = access
        self.willRenew = willRenew
        self.pendingProductId = pendingProductId
        self.price = price
        self.currency = currency
        self.offer = offer
        self.recordedAt = recordedAt
        self.evidence = evidence
        self.explanation = explanation
    }
}

extension HistoryRow: JSONRepresentable {
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("at", JSONValue(at)),
            .init("change", .array(change.map { .string($0) })),
            .init("from", JSONValue(from)),
            .init("to", .string(to)),
            .init("cause", .string(cause)),
            .init("productId", JSONValue(productId)),
            .init("transactionId", JSONValue(transactionId)),
            .init("expiresAt", JSONValue(expiresAt)),
            .init("reason", .string(reason)),
            .init("access", .string(access)),
            .init("willRenew", JSONValue(willRenew)),
            .init("pendingProductId", JSONValue(pendingProductId)),
            .init("price", JSONValue(price)),
            .init("currency", JSONValue(currency)),
            .init("offer", JSONValue(offer)),
            .init("recordedAt", JSONValue(recordedAt)),
            .init("evidence", JSONValue(positions: evidence)),
        ]
        if let explanation {
            members.append(.init("rule", .string(explanation.rule)))
            members.append(.init("explanation", .string(explanation.sentence)))
        }
        return .object(members)
    }
}
