import ArgumentParser
import Ingestion
import LedgerConfiguration
import SubscriptionLedger

/// The options of commands that append artifacts.
struct IngestOptions: ParsableArguments {
    @Option(help: "Customer to link the transactions to: the id in your system.")
    var customer: String?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    /// Ingests artifacts and prints the totals.
    /// - Parameter settle: receives the results before they are reported.
    /// - Throws: exit code 1 when an artifact was refused.
    func run(
        _ artifacts: @escaping ArtifactSource, settle: ([IngestPipeline.Result]) throws -> Void = { _ in }
    ) async throws {
        let started = SystemClock.now()
        _ = try customer.map { try ExternalCustomerID($0) }
        var configuration = try ledger.configuration(trust)
        configuration.secrets = SharedSecrets(try SharedSecretFiles.secrets(of: try ledger.settings().apps))
        let access = try LedgerAccess(configuration)
        defer { access.close() }
        let report = IngestReport(output, linking: customer != nil)
        try await access.ingest(IngestRequest(trust: configuration.trust, customerId: customer), artifacts) { results in
            try settle(results)
            report.add(results)
        }
        report.finish(seconds: SystemClock.seconds(since: started))
        if report.refused > 0 { throw ExitCode(CommandFailure.refused) }
    }
}
