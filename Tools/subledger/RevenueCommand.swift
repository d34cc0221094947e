import ArgumentParser
import LedgerAPI
import LedgerModel
import Primitives
import Revenue
import SubscriptionLedger

struct RevenueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revenue",
        abstract: "Show revenue by month, week or day: sales, refunds, proceeds, and recurring revenue.",
        discussion: """
            Amounts are milliunits of the currency: 9990 is 9.99. One currency is never added to another unless \
            --currency converts them. A sale uses the rate of its UTC day or, if there is none, the latest of the \
            previous 7 days; its refunds use the same rate. Movements without a rate are counted in unknownRate \
            (with --mrr: in unknownPrice), in a row without a currency. charges counts movements, refunds included. \
            proceedsBeforeTax is net times the developer's share; prices include VAT.

            EXAMPLES
              subledger revenue
              subledger revenue --by week --cut product --refunds sale --format csv
              subledger revenue --currency USD
              subledger revenue --mrr default
              subledger revenue --charges --format csv
            """)

    @Option(help: "The day of a refund: that of the movement, or that of the sale (default: movement).")
    var refunds: RevenueTable.Booking?

    @Option(
        help: "Show monthly recurring revenue and its movement under a definition: default, revenuecat-2024-10, iapkit."
    )
    var mrr: String?

    @Flag(help: "Show a row for each movement of money.")
    var charges = false

    @Option(
        help:
            "Convert all amounts to this currency by the rates of `rates apply` (default: the currency of each sale)."
    )
    var currency: String?

    @OptionGroup var division: DivisionOptions
    @OptionGroup var analysis: AnalysisOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: RowOutputOptions

    func validate() throws {
        guard mrr == nil || !charges else { throw ValidationError("--mrr and --charges cannot be combined") }
        guard mrr == nil && !charges || division.cut == nil && refunds == nil else {
            throw ValidationError("--cut and --refunds cannot be combined with --mrr or --charges")
        }
    }

    func run() throws {
        let opened = try ledger.reading()
        let answer: JSONValue = try output.withProgress { bar in
            var query = try analysis.query(to: opened, by: division.by, bar)
            query.cuts = try division.cuts()
            query.currency = currency
            if charges { return try opened.charges(query).json }
            guard let mrr else {
                return try opened.revenue(query, bookedBy: refunds ?? .movement).json
            }
            let definition = try Rules.Revenue.RecurringRevenue(named: mrr)
            return try opened.recurringRevenue(query, definition: definition).json
        }
        AnswerTable.print(answer, rows: "rows", columns: columns, format: output.effectiveFormat)
    }

    /// The columns of a table.
    private var columns: [String] {
        if charges {
            return [
                "originalTransactionId", "at", "kind", "productId", "amount", "currency", "rate", "proceedsBeforeTax",
            ] + (currency == nil ? [] : ["exchange"])
        }
        if mrr != nil {
            return ["period", "currency", "opening"] + RevenueMovement.Kind.allCases.map(\.rawValue)
                + ["churnedInRetry", "closing", "unknownPrice"]
        }
        return ["period", "currency"] + (division.cut == nil ? [] : ["cut"]) + [
            "charges", "gross", "refunds", "reversals", "upgradeCredits", "net", "proceedsBeforeTax", "unknownPrice",
        ] + (currency == nil ? [] : ["unknownRate", "exchanges"])
    }
}

extension RevenueTable.Booking: ExpressibleByArgument {}
