import AppStoreVerification
import ArgumentParser
import EventLog
import Primitives
import SubscriptionLedger

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "Verify App Store data and append it to the log.",
        discussion: """
            Appends in input order, directories by name; the same artifact twice is one event. Prints a line for each \
            refused artifact, and the sums at the end; exits 1 if any was refused.

            With --customer the transactions among them, also those in notifications, are linked to that customer, as \
            if a backend had posted them. One that is another customer's is appended all the same, and reported as \
            refused: link_refused. A note says how many artifacts held no transaction to link.

            EXAMPLES
              subledger ingest notifications/ --bundle-id com.example.app
              zcat archive.ndjson.gz | subledger ingest - --bundle-id com.example.app --format json
              subledger ingest transactions.jsonl --bundle-id com.example.app --customer alice
            """
    )

    @Argument(help: "Files or directories; - is standard input, read as an archive.")
    var paths: [String]

    @Option(help: "The customer of the transactions: your id.")
    var customer: String?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let started = SystemClock.now()
        // Before the ledger is opened: opening makes one where there is none.
        let files = try ArtifactFiles.readable(paths)
        let customer = try customer.map { try CustomerName($0) }
        let opened = try Ledger(writing: try ledger.configuration(trust))
        defer { opened.close() }
        var pipeline = IngestPipeline(ledger: opened, customer: customer)
        let report = IngestReport(output, linking: customer != nil)
        for file in files {
            try await ArtifactFiles.forEach(in: file) { found in
                report.add(try await pipeline.add(found))
            }
        }
        report.add(try await pipeline.finish())
        let seconds = Double(SystemClock.now().milliseconds - started.milliseconds) / 1_000
        report.finish(seconds: seconds)
        if report.refused > 0 { throw ExitCode(CommandFailure.refused) }
    }
}
