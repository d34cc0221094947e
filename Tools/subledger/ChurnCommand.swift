import ArgumentParser
import Churn
import LedgerAPI
import PaidService
import SubscriptionLedger

struct ChurnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "churn",
        abstract: "Show churn by period and reason, or list the subscribers in a segment.",
        discussion: """
            Without --segment, --curve or --funnel: the number of subscribers who left in each month, week or day \
            (churnedAt), by class. With --segment inRetry --by day: the number of subscriptions in billing retry at \
            the end of each day. With --funnel --by month: the offers by the month in which they began.

            SEGMENTS
              \(ChurnSegment.allCases.map(\.rawValue).joined(separator: "\n  "))

            EXAMPLES
              subledger churn --by month
              subledger churn --segment aboutToChurn --format csv
              subledger churn --segment inRetry --by day
              subledger churn --curve
              subledger churn --funnel
              subledger churn --funnel --by month --cut storefront
            """)

    @Option(help: "List the subscribers in a segment.")
    var segment: String?

    @Flag(help: "Show the outcomes of failed renewals by day of retry.")
    var curve = false

    @Flag(help: "Show the outcomes of offers: converted, pending or not converted.")
    var funnel = false

    @Option(help: "Interval of counts: month, week or day (default: month; none for --funnel).")
    var by: String?

    @Option(
        help:
            "Properties that divide the rows of --funnel, separated by commas: product, group, storefront, offer, duration."
    )
    var cut: String?

    @OptionGroup var analysis: AnalysisOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: RowOutputOptions

    func validate() throws {
        guard [segment != nil, curve, funnel].count(where: { $0 }) <= 1 else {
            throw ValidationError("--segment, --curve and --funnel cannot be combined")
        }
        guard by == nil || !curve && segment.map({ $0 == ChurnSegment.inRetry.rawValue }) ?? true else {
            throw ValidationError("--by applies to departure counts, to --funnel and to --segment inRetry")
        }
        guard cut == nil || funnel else { throw ValidationError("--cut requires --funnel") }
    }

    func run() throws {
        let segment = try segment.map { try ChurnSegment(named: $0) }
        let opened = try ledger.reading()
        let answer: any LedgerAnswer = try output.withProgress { bar in
            var query = try analysis.query(to: opened, by: by ?? "month", bar)
            query.cuts = try cut.map { try PurchaseCut.list($0) } ?? []
            if curve { return try opened.recoveryCurve(query) }
            if funnel { return try opened.offerFunnel(query, byCalendar: by != nil) }
            guard let segment else { return try opened.churnCounts(query) }
            return by == nil ? try opened.churn(segment, query) : try opened.retryCounts(query)
        }
        AnswerTable.print(
            answer.json, rows: "rows", columns: columns(of: answer, segment), format: output.effectiveFormat)
    }

    /// The columns of a table.
    private func columns(of answer: any LedgerAnswer, _ segment: ChurnSegment?) -> [String] {
        if let counts = answer as? ChurnAnswer<CountRow> {
            return counts.rows.first.map { $0.labels.map(\.name) + $0.counts.map(\.name) } ?? ["period"]
        }
        let common = ["originalTransactionId", "productId"]
        switch segment {
        case .aboutToChurn, nil: return common + ["since", "endedAt"]
        case .inRetry: return common + ["since", "retryDay"]
        case .recovered: return common + ["endedAt", "recoveredAt", "boughtAgain", "retryDay"]
        case .churned: return common + ["class", "endedAt", "churnedAt", "reactivatedAt"]
        case .winBack: return common + ["class", "endedAt", "paidDays", "accrualLostAt", "offerIds"]
        case .trialNotConverted: return common + ["class", "since", "endedAt"]
        }
    }
}
