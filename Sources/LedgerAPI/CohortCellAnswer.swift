package import Primitives

/// The answer about one cell: its eligible members.
package struct CohortCellAnswer: Sendable {
    package var asOf: Instant
    package var knownAt: UInt64
    /// Ordered by key.
    package var subscriptions: [CohortMemberRow]
    /// Nil when the query has no `signedBy`.
    package var signed: SignedBy?

    package init(asOf: Instant, knownAt: UInt64, subscriptions: [CohortMemberRow]) {
        self.asOf = asOf
        self.knownAt = knownAt
        self.subscriptions = subscriptions
    }
}

extension CohortCellAnswer: LedgerAnswer {
    package var json: JSONValue {
        .object(signed.members(asOf: asOf, knownAt: knownAt) + [.init("subscriptions", subscriptions.json)])
    }
}

/// A member of a cell.
package struct CohortMemberRow: Hashable, Sendable {
    package var id: SubscriptionID
    /// The start of the purchase that made it a member.
    package var anchor: Instant?
    /// The length of the member's cells; nil if the cohort is not known or adds all durations.
    package var duration: String?
    /// The values of the cuts of the question.
    package var cut: [NamedText]
    /// Nil while it is pending.
    package var retained: Bool?
    package var because: String
    package var net: AmountsRow
    package var evidence: [UInt64]

    package init(
        id: SubscriptionID, anchor: Instant?, duration: String?, cut: [NamedText], retained: Bool?, because: String,
        net: AmountsRow, evidence: [UInt64]
    ) {
        self.id = id
        self.anchor = anchor
        self.duration = duration
        self.cut = cut
        self.retained = retained
        self.because = because
        self.net = net
        self.evidence = evidence
    }
}

extension CohortMemberRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            id.members + [
                .init("anchor", JSONValue(anchor)), .init("duration", JSONValue(duration)), .init("cut", cut.json),
                .init("retained", JSONValue(retained)),
                .init("because", .string(because)), .init("net", net.json),
                .init("evidence", JSONValue(positions: evidence)),
            ])
    }
}
