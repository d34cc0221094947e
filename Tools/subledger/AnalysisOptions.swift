import AppStoreModel
import ArgumentParser
import LedgerConfiguration
import PaidService
import Primitives
import SubscriptionLedger

/// The options of questions about all subscriptions.
struct AnalysisOptions: ParsableArguments {
    @Option(help: "Time zone of the calendar (default: retention.zone of the rules).")
    var zone: String?

    @Option(help: "Environment to include.")
    var environment: Environment = .production

    @Option(name: .customLong("bundle-id"), help: "Bundle id of the app to include (default: all).")
    var bundleId: String?

    @OptionGroup var instants: InstantOptions

    /// - Parameters:
    ///   - interval: the name of the calendar.
    ///   - bar: shows the progress.
    func query(
        to ledger: LedgerReader, by interval: String, _ bar: RebuildProgressBar?
    ) throws -> AnalysisQuery {
        var query = AnalysisQuery(
            try instants.question(to: ledger), scope: CustomerScope(environment: environment, bundleId: bundleId))
        query.interval = try BucketCalendar.Interval(named: interval)
        query.zone = zone
        if let bar { query.report = { bar.show($0) } }
        return query
    }
}

/// The options of answers that are divided by a calendar and by properties of purchases.
struct DivisionOptions: ParsableArguments {
    @Option(help: "Interval: month, week or day.")
    var by = "month"

    @Option(help: "Properties that divide the rows, separated by commas: product, group, storefront, offer, duration.")
    var cut: String?

    func cuts() throws -> [PurchaseCut] { try cut.map { try PurchaseCut.list($0) } ?? [] }
}
