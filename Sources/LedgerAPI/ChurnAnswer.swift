package import Primitives

/// The answers of `churn` and `GET /v1/churn`: rows of one kind.
package struct ChurnAnswer<Row: JSONRepresentable>: Sendable {
    package var asOf: Instant
    package var knownAt: UInt64
    /// The listed segment; nil for departure counts, the recovery curve and the offer funnel.
    package var segment: String?
    package var rows: [Row]
    /// Nil when the query has no `signedBy`.
    package var signed: SignedBy?

    package init(asOf: Instant, knownAt: UInt64, segment: String? = nil, rows: [Row]) {
        self.asOf = asOf
        self.knownAt = knownAt
        self.segment = segment
        self.rows = rows
    }
}

extension ChurnAnswer: LedgerAnswer {
    package var json: JSONValue {
        var members = signed.members(asOf: asOf, knownAt: knownAt)
        if let segment { members.append(.init("segment", .string(segment))) }
        return .object(members + [.init("rows", rows.json)])
    }
}

/// A row of counts by name: its labels, then its counts.
package struct CountRow: Hashable, Sendable, JSONRepresentable {
    package struct Count: Hashable, Sendable {
        package var name: String
        package var count: Int

        package init(_ name: String, _ count: Int) {
            self.name = name
            self.count = count
        }
    }

    package var labels: [NamedText]
    package var counts: [Count]

    package init(labels: [NamedText] = [], _ counts: [Count]) {
        self.labels = labels
        self.counts = counts
    }

    package var json: JSONValue {
        .object(
            labels.map { .init($0.name, JSONValue($0.value)) }
                + counts.map { .init($0.name, .integer(Int64($0.count))) })
    }
}
