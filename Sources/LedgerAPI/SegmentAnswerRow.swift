package import Primitives

/// A subscriber in a segment of churn. Members that a segment does not have are null.
package struct SegmentAnswerRow: Hashable, Sendable {
    package var id: SubscriptionID
    package var productId: String?
    package var churnClass: String?
    /// When auto-renew went off, the renewal failed, or the offer began.
    package var since: Instant?
    /// The end of the last paid service.
    package var endedAt: Instant?
    /// The departure: later than `endedAt` after a failed renewal.
    package var churnedAt: Instant?
    package var recoveredAt: Instant?
    package var boughtAgain: Bool?
    package var reactivatedAt: Instant?
    /// From 1.
    package var retryDay: Int?
    /// Days of paid service that count towards the higher share; nil if earlier service may be missing.
    package var paidDays: Int64?
    /// The instant at which the paid days reset to 0.
    package var accrualLostAt: Instant?
    package var offerIds: [String]
    package var evidence: [UInt64]

    package init(
        id: SubscriptionID, productId: String?, churnClass: String?, since: Instant?, endedAt: Instant?,
        churnedAt: Instant?, recoveredAt: Instant?, boughtAgain: Bool?, reactivatedAt: Instant?, retryDay: Int?,
        paidDays: Int64?, accrualLostAt: Instant?, offerIds: [String], evidence: [UInt64]
    ) {
        self.id = id
        self.productId = productId
        self.churnClass = churnClass
        self.since = since
        self.endedAt = endedAt
        self.churnedAt = churnedAt
        self.recoveredAt = recoveredAt
        self.boughtAgain = boughtAgain
        self.reactivatedAt = reactivatedAt
        self.retryDay = retryDay
        self.paidDays = paidDays
        self.accrualLostAt = accrualLostAt
        self.offerIds = offerIds
        self.evidence = evidence
    }
}

extension SegmentAnswerRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            id.members + [
                .init("productId", JSONValue(productId)), .init("class", JSONValue(churnClass)),
                .init("since", JSONValue(since)), .init("endedAt", JSONValue(endedAt)),
                .init("churnedAt", JSONValue(churnedAt)), .init("recoveredAt", JSONValue(recoveredAt)),
                .init("boughtAgain", JSONValue(boughtAgain)), .init("reactivatedAt", JSONValue(reactivatedAt)),
                .init("retryDay", JSONValue(retryDay)), .init("paidDays", JSONValue(paidDays)),
                .init("accrualLostAt", JSONValue(accrualLostAt)),
                .init("offerIds", .array(offerIds.map { .string($0) })),
                .init("evidence", JSONValue(positions: evidence)),
            ])
    }
}
