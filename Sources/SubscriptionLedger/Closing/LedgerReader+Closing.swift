import AppStoreModel
import Differences
import EventLog
package import LedgerAPI
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import Primitives
import Revenue
import TransparencyLog

extension LedgerReader {
    /// Returns the numbers to close, under the active rules.
    /// - Throws: `InvalidClose`; `ZoneUnknown`; `DefinitionUnknown`; the reason to stop the work; `StorageError`.
    /// - Complexity: O(n) for n facts.
    package func closingNumbers(_ query: CloseQuery) throws -> ClosingNumbers {
        guard Rules.isName(query.name), !query.name.contains("@") else {
            throw InvalidClose("invalid close name", expected: "\(Rules.nameForm), and no @", found: query.name)
        }
        let head = try log.head()
        var asked = AnalysisQuery(AsOfQuery(asOf: .earliest, knownAt: .size(head.size)), scope: query.scope)
        asked.currency = query.currency
        let context = try analysisContext(asked.question)
        var rules = context.rules
        if let zone = query.zone { rules.retention.zone = zone }
        let zone = try TimeZoneDatabase.table(named: rules.retention.zone)
        let asOf = try closingInstant(query, zone)
        let question = try Numbers.Question(
            ComparedTable.numbers, asOf: asOf, rules: rules, in: try ReportingCurrency(asked, context))
        // The numbers of a restatement in which nothing happens.
        let stage = Restatement.Stage(at: head.size, .lateEvent, question, catalogs: context.catalogs)
        let empty = Restatement(head.size..<head.size, [stage])
        let found = try analysis(context, query.scope, readsCustomers: true, report: query.report, empty) { sum, unit in
            sum.add(unit.facts) {}
        } merge: {
            $0.merge($1)
        }
        let terms = NumbersClose.Terms(
            name: query.name, asOf: asOf, environment: query.scope.environment.rawValue,
            bundleId: query.scope.bundleId, zone: zone.name, zoneDigest: zone.digest,
            definition: rules.retention.definition.rawValue, mrr: rules.revenue.mrr.rawValue,
            currency: query.currency, rules: context.rules.digest, size: head.size,
            checkpoint: String(decoding: try signedCheckpoint(of: head).bytes, as: UTF8.self))
        return ClosingNumbers(terms: terms, found.sum.numbersBefore)
    }

    private func closingInstant(_ query: CloseQuery, _ zone: TimeZoneTable) throws(InvalidClose) -> Instant {
        let end = ClosedPeriod(name: query.name)?.end(in: zone)
        if let end, let asOf = query.asOf, asOf != end {
            throw InvalidClose(
                "the name is that of a period with another end", expected: "another name, or \(end.iso8601)",
                found: asOf.iso8601)
        }
        guard let asOf = query.asOf ?? end else {
            throw InvalidClose(
                "cannot determine the end of the period",
                expected: "a name such as 2026, 2026-Q3 or 2026-07, or --as-of",
                found: query.name)
        }
        let now = configuration.clock()
        guard asOf <= now else {
            throw InvalidClose("the period has not ended", expected: "an end by \(now.iso8601)", found: asOf.iso8601)
        }
        return asOf
    }

    /// Returns every close.
    /// - Throws: `StorageError`.
    package func closeList() throws -> ClosesAnswer {
        let size = try knownSize(nil)
        let closes = try closes.all(knownAt: size)
        return ClosesAnswer(knownAt: size, closes: closes.map { row(of: $0, among: closes) })
    }

    /// Returns a close with its numbers.
    /// - Parameter name: the name of the close, followed by `@` and a version for one that is not the newest.
    /// - Throws: `InvalidClose`: `close_unknown`; `StorageError`.
    package func close(named name: String) throws -> CloseAnswer {
        let close = try self.close(name)
        return CloseAnswer(
            close: row(of: close, among: try closes.all(knownAt: try knownSize(nil))),
            rows: try numbers(of: close).sorted { $0.key < $1.key }.map { NumberRow($0, $1) })
    }

    func close(_ name: String) throws -> NumbersClose {
        let parts = name.split(separator: "@", omittingEmptySubsequences: false)
        let closes = try closes.all(knownAt: try knownSize(nil)).filter { $0.terms.name == parts[0] }
        let version = parts.count == 2 ? Int(parts[1]) : closes.count
        guard parts.count <= 2, let version, closes.indices.contains(version - 1) else {
            throw InvalidClose(
                "unknown close", expected: "a name listed by `close --list`, or NAME@VERSION", found: name,
                code: "close_unknown")
        }
        return closes[version - 1]
    }

    func row(of close: NumbersClose, among closes: [NumbersClose]) -> CloseRow {
        let versions = closes.filter { $0.terms.name == close.terms.name && $0.position <= close.position }
        return CloseRow(
            name: close.terms.name, version: versions.count, position: close.position, closedAt: close.recordedAt,
            digest: close.digest, terms: close.terms.json)
    }

    /// Reads the numbers that a close stores.
    func numbers(of close: NumbersClose) throws -> [NumberCell: Int64] {
        guard let numbers = NumberCell.read(try log.evidence(at: close.position) ?? []) else {
            throw StorageError(.logCorrupt, "the numbers of the close at position \(close.position) cannot be read")
        }
        return numbers
    }
}

extension NumberCell {
    /// Reads the lines of a close; nil when one is no number.
    static func read(_ text: [UInt8]) -> [NumberCell: Int64]? {
        var numbers: [NumberCell: Int64] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let row = try? JSONDocument(parsing: Array(line)).root, let (cell, value) = read(row) else {
                return nil
            }
            numbers[cell] = value
        }
        return numbers
    }

    /// Reads the wire form of a number; nil for another one.
    fileprivate static func read(_ row: JSONView) -> (NumberCell, Int64)? {
        guard let table = row["table"]?.string.flatMap(ComparedTable.init(rawValue:)),
            let field = row["field"]?.string, let value = row["value"]?.integer, let cell = row["cell"]
        else { return nil }
        let labels = cell.members.compactMap { member in member.value.string.map { Label(member.key, $0) } }
        guard labels.count == cell.members.count else { return nil }
        return (NumberCell(table, labels.inOrder, currency: row["currency"]?.string, field: field), value)
    }
}

extension [NumberCell.Label] {
    /// The labels in the order of cells. RFC 8785 orders the members of an object by name.
    fileprivate var inOrder: [NumberCell.Label] {
        let order = ["cohort", "duration", "k", "period", "currency", "segment"]
        return sorted { (order.firstIndex(of: $0.name) ?? 0) < (order.firstIndex(of: $1.name) ?? 0) }
    }
}
