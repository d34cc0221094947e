import LedgerConfiguration
package import LedgerModel
package import PaidService
package import Primitives
package import ProjectionRuntime
import Revenue

/// How an analysis groups its rows.
package struct AnalysisQuery: Sendable {
    package var question: AsOfQuery
    package var scope: CustomerScope
    package var interval = BucketCalendar.Interval.month
    package var cuts: [PurchaseCut] = []
    /// The definition of retention; nil for that of the rules.
    package var definition: Rules.Retention.Definition?
    /// The time zone; nil for that of the rules.
    package var zone: String?
    /// The only currency of the amounts, by exchange rates; nil for that of each sale.
    package var currency: String?
    /// The greatest number of rows in a list; nil for any number.
    package var rowLimit: Int?
    /// Called with the progress.
    package var report: (@Sendable (RebuildProgress) -> Void)?

    package init(_ question: AsOfQuery, scope: CustomerScope = CustomerScope()) {
        self.question = question
        self.scope = scope
    }
}

/// The error for a list with too many rows.
package struct AnswerTooLarge: DiagnosedError, Hashable, Sendable {
    package let diagnosis: Diagnosis

    init(_ limit: Int) {
        diagnosis = Diagnosis(
            "answer_too_large", "the answer has too many rows", expected: "at most \(limit) rows", found: "more",
            hint: "Ask for one app, currency or cell, or use the command line.")
    }
}

/// The rows of a list, from several threads.
struct RowList<Row: Sendable>: Sendable {
    private(set) var rows: [Row] = []
    private let limit: Int?

    init(of query: AnalysisQuery) {
        limit = query.rowLimit
    }

    /// - Throws: `AnswerTooLarge`.
    mutating func append(_ row: Row) throws(AnswerTooLarge) {
        if let limit, rows.count >= limit { throw AnswerTooLarge(limit) }
        rows.append(row)
    }

    mutating func merge(_ other: RowList) { rows += other.rows }

    /// Returns the rows of all threads.
    /// - Throws: `AnswerTooLarge`.
    func all() throws(AnswerTooLarge) -> [Row] {
        if let limit, rows.count > limit { throw AnswerTooLarge(limit) }
        return rows
    }
}

/// The error for an unknown definition, segment, interval, cut, cohort or currency.
package struct DefinitionUnknown: DiagnosedError, Hashable, Sendable {
    package let diagnosis: Diagnosis

    /// - Parameter kind: the kind of name that is unknown, in words.
    package init(_ kind: String, expected: [String], found: String, hint: String? = nil) {
        diagnosis = Diagnosis(
            "definition_unknown", "unknown \(kind)", expected: expected.joined(separator: ", "), found: found,
            hint: hint)
    }
}

extension Rules.Retention.Definition {
    /// - Throws: `DefinitionUnknown`.
    package init(named name: String) throws(DefinitionUnknown) {
        guard let definition = Self(rawValue: name) else {
            throw DefinitionUnknown(
                "definition of retention", expected: Self.allCases.map(\.rawValue), found: name,
                hint: "Definitions are never changed; a new meaning gets a new name.")
        }
        self = definition
    }
}

extension PurchaseCut {
    /// Reads comma-separated names.
    /// - Throws: `DefinitionUnknown`.
    package static func list(_ text: String) throws(DefinitionUnknown) -> [PurchaseCut] {
        var cuts: [PurchaseCut] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let cut = Self(rawValue: String(name)), !cuts.contains(cut) else {
                throw DefinitionUnknown("cut", expected: allCases.map(\.rawValue), found: String(name))
            }
            cuts.append(cut)
        }
        return cuts
    }
}

extension BucketCalendar.Interval {
    /// - Throws: `DefinitionUnknown`.
    package init(named name: String) throws(DefinitionUnknown) {
        guard let interval = Self(rawValue: name) else {
            throw DefinitionUnknown("interval", expected: Self.allCases.map(\.rawValue), found: name)
        }
        self = interval
    }
}

extension ReportingCurrency {
    /// Returns nil when the query asks for none.
    /// - Throws: `DefinitionUnknown` for a text that is not a currency.
    init?(_ query: AnalysisQuery, _ context: AnalysisContext) throws(DefinitionUnknown) {
        try self.init(query.currency, context.rates)
    }

    /// Returns nil without a currency.
    /// - Throws: `DefinitionUnknown` for a text that is not a currency.
    init?(_ code: String?, _ rates: RatesHistory) throws(DefinitionUnknown) {
        guard let code else { return nil }
        guard Symbol(code).isCurrencyCode else {
            throw DefinitionUnknown(
                "currency", expected: ["a code of ISO 4217 in capital letters, such as EUR"], found: code)
        }
        self.init(Symbol(code), rates)
    }
}

extension BucketCalendar {
    /// - Throws: `ZoneUnknown`.
    init(_ query: AnalysisQuery, _ rules: Rules) throws {
        let zone = try TimeZoneDatabase.table(named: query.zone ?? rules.retention.zone)
        self.init(query.interval, in: zone, weekStartsOn: rules.retention.weekStartsOn)
    }
}

/// The name of a cell of the retention matrix: its cohort and its number.
package struct CohortCellName: Hashable, Sendable {
    package static let form = "a cohort and a number, such as 2026-01,3"
    package let cohort: String
    package let k: Int

    /// Returns nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let k = Int(parts[1])
        else { return nil }
        (cohort, self.k) = (String(parts[0]), k)
    }
}
