import LedgerConfiguration
import LedgerModel
import PaidService
import Primitives
import RetentionCohorts
import Revenue
import SubscriptionLedger

/// The question that the rows of state tables answer: an instant, and the knowledge and the rules of the answer.
struct ExportQuestion: Sendable {
    let context: AnalysisContext
    let asOf: Instant
    /// The currency of the columns that begin with `reporting_`; nil for none.
    let reporting: ReportingCurrency?
    /// The questions about retention by month, one for each definition, without cuts.
    let retention: [RetentionQuestion]

    /// - Throws: `ZoneUnknown`.
    init(_ plan: ExportPlan, _ context: AnalysisContext, asOf: Instant) throws {
        (self.context, self.asOf) = (context, asOf)
        reporting = plan.reportingCurrency.map { ReportingCurrency(Symbol($0), context.rates) }
        retention = try Self.retention(context, asOf, cuts: [])
    }

    /// Returns the same questions about retention, divided by some properties of purchases.
    /// - Throws: `ZoneUnknown`.
    func retention(cuts: [PurchaseCut]) throws -> [RetentionQuestion] {
        try Self.retention(context, asOf, cuts: cuts)
    }

    private static func retention(
        _ context: AnalysisContext, _ asOf: Instant, cuts: [PurchaseCut]
    ) throws -> [RetentionQuestion] {
        try Rules.Retention.Definition.allCases.map { definition in
            var rules = context.rules.retention
            rules.definition = definition
            return RetentionQuestion(
                rules, zone: try TimeZoneDatabase.table(named: rules.zoneInForce), cuts: cuts, asOf: asOf)
        }
    }
}
