import AppStoreModel
import Differences
import LedgerAPI
package import LedgerModel
package import Primitives
package import ProjectionRuntime

/// A name for numbers, and the terms that differ from the rules.
package struct CloseQuery: Sendable {
    /// A year, a quarter or a month; any other name needs `asOf`.
    package var name: String
    /// Nil for the end of the period in the name.
    package var asOf: Instant?
    /// The time zone; nil for that of the rules.
    package var zone: String?
    /// The currency of revenue; nil for that of each sale.
    package var currency: String?
    package var scope: CustomerScope
    /// Called with the progress.
    package var report: (@Sendable (RebuildProgress) -> Void)?

    package init(_ name: String, scope: CustomerScope = CustomerScope()) {
        (self.name, self.scope) = (name, scope)
    }
}

/// Numbers to close, as a command hands them over to the service.
package struct ClosingNumbers: Sendable {
    package let terms: NumbersClose.Terms
    /// A line of RFC 8785 JSON for each number that is not 0.
    package let cells: String

    init(terms: NumbersClose.Terms, _ numbers: [NumberCell: Int64]) {
        self.terms = terms
        cells = numbers.keys.sorted().map { cell in
            String(decoding: NumberRow(cell, numbers[cell] ?? 0).json.canonical(), as: UTF8.self) + "\n"
        }.joined()
    }
}

extension ClosingNumbers {
    package var json: JSONValue { .object(["terms": terms.json, "cells": .string(cells)]) }

    /// - Throws: `posting_malformed`.
    package init(_ json: JSONView) throws(CustomerError) {
        try json.requireMembers(["terms", "cells"])
        guard let terms = json["terms"].flatMap({ NumbersClose.Terms($0) }) else {
            throw CustomerError(
                .postingMalformed, "incomplete terms", expected: "the terms of a close", found: "others")
        }
        self.terms = terms
        cells = try json.requiredText(of: "cells")
    }
}

extension NumberRow {
    init(_ cell: NumberCell, _ value: Int64) {
        self.init(
            cell: cell.labels.map { NamedText($0.name, $0.value) }, table: cell.table.rawValue, field: cell.field,
            currency: cell.currency, value: value)
    }
}

/// The refusal of a name or an instant of a close.
package struct InvalidClose: DiagnosedError, Hashable, Sendable {
    package let diagnosis: Diagnosis

    init(_ message: String, expected: String, found: String, code: String = "parameter_invalid") {
        diagnosis = Diagnosis(code, message, expected: expected, found: found)
    }
}
