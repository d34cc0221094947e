import ArgumentParser
import Ingestion
import SubscriptionLedger

struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "Verify App Store data and append it to the log.",
        discussion: """
            Appends artifacts in input order. Files in folders are sorted by name. Of an answer of the App Store \
            Server API or verifyReceipt, the signed parts are artifacts. A notification of version 1 needs a password \
            of sharedSecretFile. Repeated artifacts are stored once. Prints one line per refused artifact and then the \
            totals. Exits with status 1 if an artifact was refused. Only Apple can verify a receipt of iOS 6: it is \
            refused, and kept in the log so that Apple is asked about it.

            --trust-files vouches for the files: answers of verifyReceipt count as a whole, and notifications of \
            version 1 need no password. Their events say `asserted`.

            --customer links transactions, including those in notifications, to a customer, with the same effect as \
            POST /v1/transactions by a backend. A transaction of another known customer is appended but reported as \
            refused (link_refused). A note reports the number of artifacts without a transaction.

            While a service has the ledger open, the service verifies and appends the artifacts on behalf of the \
            command, with the trust options and the configuration of the command. The output is the same. An \
            interrupted command can be repeated.

            EXAMPLES
              subledger ingest notifications/ --bundle-id com.example.app
              zcat archive.ndjson.gz | subledger ingest - --bundle-id com.example.app --format json
              subledger ingest transactions.jsonl --bundle-id com.example.app --customer alice
              subledger ingest answers/ --bundle-id com.example.app --trust-files
            """
    )

    @Argument(help: "Files or folders; - reads an archive from standard input.")
    var paths: [String]

    @Flag(
        name: .customLong("trust-files"),
        help: "Vouch for answers of verifyReceipt and notifications of version 1 in the files, which are not signed.")
    var trustFiles = false

    @OptionGroup var options: IngestOptions

    func run() async throws {
        let reading: UnsignedReading = trustFiles ? .trusted : .authenticated
        // Checked before the ledger is opened, because opening creates a missing ledger.
        let files = try ArtifactFiles.readable(paths)
        try await options.run { add in
            for file in files { try await ArtifactFiles.forEach(in: file, reading, add) }
        }
    }
}
