package import Primitives

/// The next question about an account: a row of `poll due`.
package struct PollRow: Hashable, Sendable {
    /// The subscription that is asked about. The answer has all of the account.
    package let id: SubscriptionID
    package let dueAt: Instant
    /// `implied`, `inferred`, `disagreement`, `periodEnded`, `retry`, `beforeEnd` or `sweep`.
    package let why: String
    /// The number of the question for this reason, from 1.
    package let attempt: Int

    package init(id: SubscriptionID, dueAt: Instant, why: String, attempt: Int) {
        self.id = id
        self.dueAt = dueAt
        self.why = why
        self.attempt = attempt
    }
}

extension PollRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            id.members + [
                .init("dueAt", JSONValue(dueAt)), .init("why", .string(why)), .init("attempt", JSONValue(attempt)),
            ])
    }
}
