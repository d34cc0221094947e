package import Primitives

/// The answer of `project restate`: the numbers that moved between two log sizes, by cause.
package struct RestatementAnswer: JSONRepresentable {
    package var asOf: Instant
    package var from: UInt64
    package var to: UInt64
    /// The close whose numbers are restated; nil for two log sizes.
    package var close: CloseRow?
    package var rows: [RestatementRow]

    package init(asOf: Instant, from: UInt64, to: UInt64, close: CloseRow?, rows: [RestatementRow]) {
        self.asOf = asOf
        self.from = from
        self.to = to
        self.close = close
        self.rows = rows
    }

    package var json: JSONValue {
        .object([
            "asOf": JSONValue(asOf), "from": JSONValue(position: from), "to": JSONValue(position: to),
            "close": JSONValue(close), "rows": rows.json,
        ])
    }
}

/// A number that moved. `after` is `before` plus the changes of all causes.
package struct RestatementRow: Sendable {
    package var cell: [NamedText]
    package var table: String
    package var field: String
    package var currency: String?
    package var before: Int64
    package var after: Int64
    package var causes: [Cause]

    /// The change by the events of one cause.
    package struct Cause: Sendable {
        package var cause: String
        package var change: Int64
        /// The positions of the events, ascending; none for rules given by hand and for another program.
        package var evidence: [UInt64]

        package init(cause: String, change: Int64, evidence: [UInt64]) {
            (self.cause, self.change, self.evidence) = (cause, change, evidence)
        }
    }

    package init(
        cell: [NamedText], table: String, field: String, currency: String?, before: Int64, after: Int64,
        causes: [Cause]
    ) {
        self.cell = cell
        self.table = table
        self.field = field
        self.currency = currency
        self.before = before
        self.after = after
        self.causes = causes
    }
}

extension RestatementRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "cell": cell.json, "table": .string(table), "field": .string(field), "currency": JSONValue(currency),
            "before": .integer(before), "after": .integer(after), "causes": causes.json,
        ])
    }
}

extension RestatementRow.Cause: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "cause": .string(cause), "change": .integer(change), "evidence": JSONValue(positions: evidence),
        ])
    }
}
