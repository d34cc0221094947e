package import LedgerModel
import PaidService
package import Primitives
import RetentionCohorts
import Revenue

/// The question that the rows of state tables answer: an instant, and the knowledge and the rules of the answer.
package struct ExportQuestion: Sendable {
    let context: AnalysisContext
    let asOf: Instant
    /// The currency of the columns that begin with `reporting_`; nil for none.
    let reporting: ReportingCurrency?
    /// The time zone of the rules.
    let zone: TimeZoneTable
    /// The questions about retention by month, one for each definition, without cuts.
    let retention: [RetentionQuestion]

    /// - Parameters:
    ///   - currency: the code of the currency of the columns that begin with `reporting_`; nil for none.
    ///   - table: returns the table of a time zone.
    /// - Throws: the errors of `table`.
    package init(
        _ context: AnalysisContext, asOf: Instant, in currency: String?,
        zone table: (String) throws -> TimeZoneTable
    ) rethrows {
        (self.context, self.asOf) = (context, asOf)
        reporting = currency.map { ReportingCurrency(Symbol($0), context.rates) }
        zone = try table(context.rules.retention.zone)
        retention = try Rules.Retention.Definition.allCases.map { definition in
            var rules = context.rules.retention
            rules.definition = definition
            return RetentionQuestion(rules, zone: try table(rules.zoneInForce), asOf: asOf)
        }
    }

    /// Returns the same questions about retention, divided by some properties of purchases.
    func retention(cuts: [PurchaseCut]) -> [RetentionQuestion] {
        retention.map { RetentionQuestion($0.rules, zone: $0.calendar.zone, cuts: cuts, asOf: asOf) }
    }
}
