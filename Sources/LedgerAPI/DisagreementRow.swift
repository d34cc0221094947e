package import Primitives

/// A signed status that differs from the folded one: a row of `audit verify --answers`.
package struct DisagreementRow: Hashable, Sendable {
    package var id: SubscriptionID
    /// The signedDate of the notification.
    package var signedDate: Instant
    package var disagreement: SubscriptionRow.Disagreement

    package init(id: SubscriptionID, signedDate: Instant, disagreement: SubscriptionRow.Disagreement) {
        self.id = id
        self.signedDate = signedDate
        self.disagreement = disagreement
    }
}

extension DisagreementRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            id.members + [
                .init("signedDate", JSONValue(signedDate)),
                .init("position", JSONValue(position: disagreement.position)),
                .init("signed", .string(disagreement.signed)),
                .init("folded", .string(disagreement.folded)),
            ])
    }
}
