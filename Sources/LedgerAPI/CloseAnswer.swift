package import Primitives

/// A named set of numbers that an event stores.
package struct CloseRow: Sendable {
    package var name: String
    /// 1 for the first close of the name.
    package var version: Int
    package var position: UInt64
    package var closedAt: Instant
    /// The SHA-256 of the text of the numbers.
    package var digest: Digest
    /// The instant, the scope, the definitions, the rules, the log size and its checkpoint.
    package var terms: JSONValue

    package init(
        name: String, version: Int, position: UInt64, closedAt: Instant, digest: Digest, terms: JSONValue
    ) {
        self.name = name
        self.version = version
        self.position = position
        self.closedAt = closedAt
        self.digest = digest
        self.terms = terms
    }
}

extension CloseRow: JSONRepresentable {
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("name", .string(name)), .init("version", JSONValue(version)),
            .init("position", JSONValue(position: position)), .init("closedAt", JSONValue(closedAt)),
            .init("digest", .string(digest.hex)),
        ]
        if case .object(let terms) = terms { members += terms.filter { $0.key != "name" } }
        return .object(members)
    }
}

/// The answer of `close --list`.
package struct ClosesAnswer: JSONRepresentable {
    package var knownAt: UInt64
    /// Ordered by position.
    package var closes: [CloseRow]

    package init(knownAt: UInt64, closes: [CloseRow]) {
        (self.knownAt, self.closes) = (knownAt, closes)
    }

    package var json: JSONValue {
        .object(["knownAt": JSONValue(position: knownAt), "closes": closes.json])
    }
}

/// The answer of `close NAME` and `close --show NAME`.
package struct CloseAnswer: LedgerAnswer {
    package var close: CloseRow
    /// The numbers that are not 0.
    package var rows: [NumberRow]

    package init(close: CloseRow, rows: [NumberRow]) {
        (self.close, self.rows) = (close, rows)
    }

    /// The log size with the close.
    package var knownAt: UInt64 { close.position + 1 }

    package var json: JSONValue { .object(["close": close.json, "rows": rows.json]) }
}

/// A number of a table.
package struct NumberRow: Hashable, Sendable {
    /// The names of the subject, such as a cohort.
    package var cell: [NamedText]
    package var table: String
    package var field: String
    /// The currency of an amount in milliunits; nil for a count.
    package var currency: String?
    package var value: Int64

    package init(cell: [NamedText], table: String, field: String, currency: String?, value: Int64) {
        self.cell = cell
        self.table = table
        self.field = field
        self.currency = currency
        self.value = value
    }
}

extension NumberRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "cell": cell.json, "table": .string(table), "field": .string(field), "currency": JSONValue(currency),
            "value": .integer(value),
        ])
    }
}
