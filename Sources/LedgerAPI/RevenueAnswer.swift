package import Primitives

/// The answers of `revenue` and `GET /v1/revenue`: rows of one kind.
package struct RevenueAnswer<Row: JSONRepresentable>: Sendable {
    package var asOf: Instant
    package var knownAt: UInt64
    package var interval: String
    package var zone: String
    package var rows: [Row]
    /// Nil when the query has no `signedBy`.
    package var signed: SignedBy?

    package init(asOf: Instant, knownAt: UInt64, interval: String, zone: String, rows: [Row]) {
        self.asOf = asOf
        self.knownAt = knownAt
        self.interval = interval
        self.zone = zone
        self.rows = rows
    }
}

extension RevenueAnswer: LedgerAnswer {
    package var json: JSONValue {
        .object(
            signed.members(asOf: asOf, knownAt: knownAt) + [
                .init("by", .string(interval)), .init("zone", .string(zone)), .init("rows", rows.json),
            ])
    }
}
