package import Primitives

/// All that a ledger holds on a customer, to be handed to the person.
package struct CustomerReport: Hashable, Sendable {
    package var writtenAt: Instant
    /// The number of events that were searched.
    package var knownAt: UInt64
    /// The id of the question.
    package var id: String
    /// The pseudonym of the customer in events; nil for an appAccountToken without a customer.
    package var handle: String?
    /// The handles of customers merged into this one.
    package var mergedHandles: [String] = []
    /// The callers' ids.
    package var ids: [String] = []
    package var appAccountTokens: [String] = []
    /// The answer about the customer in each environment with purchases.
    package var states: [JSONValue] = []
    package var links: [JSONValue] = []
    package var merges: [JSONValue] = []
    package var grants: [JSONValue] = []
    /// The newest consent to tell Apple about consumption; null for none.
    package var consumptionConsent: JSONValue = .null
    package var transactions: [JSONValue] = []
    package var events: [JSONValue] = []

    package init(writtenAt: Instant, knownAt: UInt64, id: String) {
        (self.writtenAt, self.knownAt, self.id) = (writtenAt, knownAt, id)
    }
}

extension CustomerReport: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "writtenAt": JSONValue(writtenAt), "knownAt": JSONValue(position: knownAt), "id": .string(id),
            "handle": JSONValue(handle), "mergedHandles": Self.list(mergedHandles), "ids": Self.list(ids),
            "appAccountTokens": Self.list(appAccountTokens), "states": .array(states), "links": .array(links),
            "merges": .array(merges), "grants": .array(grants), "consumptionConsent": consumptionConsent,
            "transactions": .array(transactions), "events": .array(events),
        ])
    }

    private static func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
