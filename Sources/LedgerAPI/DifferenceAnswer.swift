package import Primitives

/// The answer of `project diff`: what other rules or another catalogue move.
package struct DifferenceAnswer: Sendable {
    package var asOf: Instant
    package var knownAt: UInt64
    /// In the order in which they are applied.
    package var changes: [AssumedChangeRow]
    package var rows: [DifferenceRow]
    /// Nil when the query has no `signedBy`.
    package var signed: SignedBy?

    package init(asOf: Instant, knownAt: UInt64, changes: [AssumedChangeRow], rows: [DifferenceRow]) {
        (self.asOf, self.knownAt, self.changes, self.rows) = (asOf, knownAt, changes, rows)
    }

    /// The number of rows by table, field and rule, in the order of the rows.
    package var summary: [DifferenceSummaryRow] {
        var summary: [DifferenceSummaryRow] = []
        var indices: [[String?]: Int] = [:]
        for row in rows {
            let key = [row.table, row.field, row.rule, row.currency]
            let index = indices[key] ?? summary.count
            if index == summary.count {
                indices[key] = index
                summary.append(DifferenceSummaryRow(row))
            }
            summary[index].add(row)
        }
        return summary
    }
}

extension DifferenceAnswer: LedgerAnswer {
    package var json: JSONValue {
        .object(
            signed.members(asOf: asOf, knownAt: knownAt) + [
                .init("changes", changes.json), .init("summary", summary.json), .init("rows", rows.json),
            ])
    }
}

/// A field in which the old and the new rules or catalogue differ.
package struct AssumedChangeRow: Hashable, Sendable {
    package var rule: String
    package var before: String
    package var after: String

    package init(rule: String, before: String, after: String) {
        (self.rule, self.before, self.after) = (rule, before, after)
    }
}

extension AssumedChangeRow: JSONRepresentable {
    package var json: JSONValue {
        .object(["rule": .string(rule), "before": .string(before), "after": .string(after)])
    }
}

/// A value that a changed field moves.
package struct DifferenceRow: Hashable, Sendable {
    /// The members that name what the value is about: a subscription, a customer or a cell.
    package var subject: [JSONValue.Member]
    package var table: String
    package var field: String
    /// The currency of an amount; nil for other values.
    package var currency: String?
    package var before: JSONValue
    package var after: JSONValue
    /// The changed field. Fields are applied one after another.
    package var rule: String
    /// Whether the field alone moves the old value otherwise.
    package var together: Bool

    package init(
        subject: [JSONValue.Member], table: String, field: String, currency: String? = nil, before: JSONValue,
        after: JSONValue, rule: String, together: Bool
    ) {
        self.subject = subject
        self.table = table
        self.field = field
        self.currency = currency
        self.before = before
        self.after = after
        self.rule = rule
        self.together = together
    }
}

extension DifferenceRow: JSONRepresentable {
    package var json: JSONValue {
        .object(
            subject + [
                .init("table", .string(table)), .init("field", .string(field)), .init("currency", JSONValue(currency)),
                .init("before", before), .init("after", after), .init("rule", .string(rule)),
                .init("together", .bool(together)),
            ])
    }
}

/// The rows of a table in which a changed field moves another field.
package struct DifferenceSummaryRow: Hashable, Sendable {
    package var table: String
    package var field: String
    package var rule: String
    package var currency: String?
    /// The number of rows.
    package private(set) var moved = 0
    /// The number of rows from false to true; nil for values that are not true or false.
    package private(set) var gained: Int?
    /// The number of rows from true to false.
    package private(set) var lost: Int?
    /// The sum of the moves; nil for values that are not numbers.
    package private(set) var change: Int64?

    fileprivate init(_ row: DifferenceRow) {
        (table, field, rule, currency) = (row.table, row.field, row.rule, row.currency)
    }

    fileprivate mutating func add(_ row: DifferenceRow) {
        moved += 1
        switch (row.before, row.after) {
        case (.bool(false), .bool(true)):
            (gained, lost) = ((gained ?? 0) + 1, lost ?? 0)
        case (.bool(true), .bool(false)):
            (gained, lost) = (gained ?? 0, (lost ?? 0) + 1)
        case (.integer(let before), .integer(let after)):
            change = (change ?? 0) &+ (after &- before)
        default: break
        }
    }
}

extension DifferenceSummaryRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "table": .string(table), "field": .string(field), "rule": .string(rule), "currency": JSONValue(currency),
            "moved": JSONValue(moved), "gained": gained.map { JSONValue($0) } ?? .null,
            "lost": lost.map { JSONValue($0) } ?? .null, "change": JSONValue(change),
        ])
    }
}
