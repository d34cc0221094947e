import Churn
import LedgerAPI
import LedgerModel
import Primitives
import SubscriptionLedger

extension LedgerReader {
    /// The numbers of answers, by table, cell, currency and field.
    /// - Parameter currency: the only currency of revenue; nil for that of each sale.
    func answeredNumbers(
        at t: Instant, _ rules: Rules? = nil, currency: String? = nil, knownAt: UInt64? = nil
    ) throws -> [String: Int64] {
        var query = AnalysisQuery(AsOfQuery(asOf: t, knownAt: knownAt.map { .size($0) }))
        query.question.rules = rules
        query.currency = currency
        var numbers: [String: Int64] = [:]
        for row in try cohorts(query).rows {
            let name = "cohorts \(row.cohort)" + (row.duration.map { " \($0)" } ?? "")
            numbers["\(name) size"] = Int64(row.size)
            for (k, cell) in row.cells.enumerated() {
                numbers["\(name) \(k) eligible"] = Int64(cell.eligible)
                numbers["\(name) \(k) retained"] = Int64(cell.retained)
                numbers["\(name) \(k) pending"] = Int64(cell.pending)
                numbers["\(name) \(k) unknownPrice"] = Int64(cell.net.unknownCount)
                for entry in cell.net.entries {
                    numbers["\(name) \(k) \(entry.currency ?? "unknown") net"] = entry.amount
                }
            }
        }
        for row in try churnCounts(query).rows {
            for count in row.counts { numbers["churn \(row.labels[0].value ?? "") \(count.name)"] = Int64(count.count) }
        }
        for segment in ChurnSegment.allCases {
            numbers["segments \(segment.rawValue) rows"] = Int64(try churn(segment, query).rows.count)
        }
        for row in try revenue(query).rows {
            let name = "revenue \(row.period) \(row.currency ?? "unknown")"
            numbers["\(name) net"] = row.net
            numbers["\(name) gross"] = row.gross
            numbers["\(name) proceedsBeforeTax"] = row.proceedsBeforeTax
            numbers["\(name) unitsAtHigherRate"] = Int64(row.unitsAtHigherRate)
        }
        for row in try recurringRevenue(query).rows {
            let name = "recurringRevenue \(row.period) \(row.currency ?? "unknown")"
            for change in row.changes { numbers["\(name) \(change.kind)"] = change.amount }
            numbers["\(name) opening"] = row.opening
            numbers["\(name) closing"] = row.closing
            numbers["\(name) churnedInRetry"] = row.churnedInRetry
        }
        return numbers.filter { $0.value != 0 }
    }
}

extension DifferenceRow {
    /// The name of a number in `answeredNumbers`.
    var name: String {
        let labels: [String] = subject.flatMap { member -> [String] in
            guard member.key == "cell", case .object(let labels) = member.value else { return [] }
            return labels.map { if case .string(let text) = $0.value { text } else { "" } }
        }
        return numberName(table, labels, currency, field)
    }
}

extension NumberRow {
    var name: String { numberName(table, cell.map { $0.value ?? "" }, currency, field) }
}

extension RestatementRow {
    var name: String { numberName(table, cell.map { $0.value ?? "" }, currency, field) }
}

private func numberName(_ table: String, _ labels: [String], _ currency: String?, _ field: String) -> String {
    "\(table) \(labels.joined(separator: " "))\(currency.map { " \($0)" } ?? "") \(field)"
}
