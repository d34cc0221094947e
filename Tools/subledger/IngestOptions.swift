import ArgumentParser
import SubscriptionLedger

/// The options of commands that append artifacts.
struct IngestOptions: ParsableArguments {
    @Option(help: "The id of the customer in your system to link the transactions to.")
    var customer: String?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    /// Opens the ledger for writing, ingests artifacts, and prints the totals.
    /// - Parameter body: adds artifacts to the pipeline and their results to the report.
    /// - Throws: exit code 1 when an artifact was refused.
    func run(_ body: (inout IngestPipeline, IngestReport) async throws -> Void) async throws {
        let started = SystemClock.now()
        let customer = try customer.map { try ExternalCustomerID($0) }
        let opened = try LedgerWriter(try ledger.configuration(trust))
        defer { opened.close() }
        var pipeline = IngestPipeline(ledger: opened, customer: customer)
        let report = IngestReport(output, linking: customer != nil)
        try await body(&pipeline, report)
        report.finish(seconds: SystemClock.seconds(since: started))
        if report.refused > 0 { throw ExitCode(CommandFailure.refused) }
    }
}
