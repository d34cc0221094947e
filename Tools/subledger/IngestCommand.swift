import ArgumentParser
import SubscriptionLedger

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "Verify App Store data and append it to the log.",
        discussion: """
            Appends in input order, directories by name; a repeated artifact is one event. Prints one line per refused \
            artifact, then the totals; exits 1 if any was refused.

            With --customer, transactions, including those in notifications, are linked to that customer, like a \
            posting by a backend. A transaction of another customer is appended but reported as refused \
            (link_refused). A note counts the artifacts without a transaction to link.

            EXAMPLES
              subledger ingest notifications/ --bundle-id com.example.app
              zcat archive.ndjson.gz | subledger ingest - --bundle-id com.example.app --format json
              subledger ingest transactions.jsonl --bundle-id com.example.app --customer alice
            """
    )

    @Argument(help: "Files or directories; - is standard input, read as an archive.")
    var paths: [String]

    @OptionGroup var options: IngestOptions

    func run() async throws {
        // Before the ledger is opened: opening creates a missing ledger.
        let files = try ArtifactFiles.readable(paths)
        try await options.run { pipeline, report in
            for file in files {
                try await ArtifactFiles.forEach(in: file) { found in
                    report.add(try await pipeline.add(found))
                }
            }
            report.add(try await pipeline.finish())
        }
    }
}
