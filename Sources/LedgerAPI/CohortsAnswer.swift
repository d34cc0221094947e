package import Primitives

/// The answer of `cohorts` and `GET /v1/cohorts`.
package struct CohortsAnswer: Sendable {
    package var asOf: Instant
    package var knownAt: UInt64
    package var definition: String
    package var interval: String
    package var zone: String
    package var cuts: [String]
    /// The number of members whose purchases are not known to be their own.
    package var ownershipInferred: Int
    /// Ordered by cohort, duration and cuts; the unknown cohort last.
    package var rows: [CohortAnswerRow]
    /// Nil when the query has no `signedBy`.
    package var signed: SignedBy?

    package init(
        asOf: Instant, knownAt: UInt64, definition: String, interval: String, zone: String, cuts: [String],
        ownershipInferred: Int, rows: [CohortAnswerRow]
    ) {
        self.asOf = asOf
        self.knownAt = knownAt
        self.definition = definition
        self.interval = interval
        self.zone = zone
        self.cuts = cuts
        self.ownershipInferred = ownershipInferred
        self.rows = rows
    }
}

extension CohortsAnswer: LedgerAnswer {
    package var json: JSONValue {
        .object(
            signed.members(asOf: asOf, knownAt: knownAt) + [
                .init("definition", .string(definition)), .init("by", .string(interval)),
                .init("zone", .string(zone)), .init("cut", .array(cuts.map { .string($0) })),
                .init("ownershipInferred", .integer(Int64(ownershipInferred))), .init("rows", rows.json),
            ])
    }
}

/// A cohort with its cells.
package struct CohortAnswerRow: Hashable, Sendable {
    /// A day, the first day of a week, a month, or `unknown`.
    package var cohort: String
    /// Nil in the unknown cohort, and where cells are calendar months.
    package var duration: String?
    /// The values by the names of the question's cuts.
    package var cut: [NamedText]
    package var size: Int
    /// Empty in the unknown cohort.
    package var cells: [CohortAnswerCell]

    package init(cohort: String, duration: String?, cut: [NamedText], size: Int, cells: [CohortAnswerCell]) {
        self.cohort = cohort
        self.duration = duration
        self.cut = cut
        self.size = size
        self.cells = cells
    }
}

extension CohortAnswerRow: JSONRepresentable {
    package var json: JSONValue {
        .object([
            "cohort": .string(cohort), "duration": JSONValue(duration), "cut": cut.json, "size": .integer(Int64(size)),
            "cells": .array(cells.enumerated().map { $1.json(k: $0) }),
        ])
    }
}

/// The members of a cohort in a cell.
package struct CohortAnswerCell: Hashable, Sendable {
    package var eligible: Int
    package var retained: Int
    package var pending: Int
    /// Whether the counts may still change without an event.
    package var incomplete: Bool
    package var net: AmountsRow

    package init(eligible: Int, retained: Int, pending: Int, incomplete: Bool, net: AmountsRow) {
        self.eligible = eligible
        self.retained = retained
        self.pending = pending
        self.incomplete = incomplete
        self.net = net
    }

    fileprivate func json(k: Int) -> JSONValue {
        .object([
            "k": .integer(Int64(k)), "eligible": .integer(Int64(eligible)), "retained": .integer(Int64(retained)),
            "pending": .integer(Int64(pending)), "incomplete": .bool(incomplete), "net": net.json,
            "unknownPrice": .integer(Int64(net.unknownCount)),
        ])
    }
}
