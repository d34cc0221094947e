import LedgerConfiguration
import LedgerModel
import PaidService
import Primitives
import RetentionCohorts
import SubscriptionLedger

extension RetentionQuestion {
    /// Creates the question under a definition other than that of the rules, by month.
    /// - Throws: `ZoneUnknown`.
    init(
        _ definition: Rules.Retention.Definition, _ context: AnalysisContext, cuts: [PurchaseCut], asOf: Instant
    ) throws {
        var rules = context.rules.retention
        rules.definition = definition
        self.init(rules, zone: try TimeZoneDatabase.table(named: rules.zoneInForce), cuts: cuts, asOf: asOf)
    }
}
