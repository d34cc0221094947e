import AppStoreVerification
import ArgumentParser
import EventLog
import Primitives
import SubscriptionLedger

struct QuarantineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "What was refused although well-formed, kept to be tried again.",
        discussion: """
            Items are called by the SHA-256 of what was refused, or by as much of its beginning as only one has.
            """,
        subcommands: [List.self, Retry.self, Drop.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "A line an item: when and why it was refused first.",
            discussion: """
                EXAMPLES
                  subledger quarantine list
                  subledger quarantine list --format json | jq -r 'select(.code == "bundle_mismatch") | .found'
                """)

        private static let columns = ["digest", "refusedAt", "source", "bytes", "code", "found", "reason"]
        /// As much of a digest as a person needs to name one.
        private static let digestCharacters = 12

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let folder = try QuarantineCommand.folder(ledger)
            let items = try Quarantine.digests(in: folder).compactMap { try Quarantine.item($0, in: folder) }
                .sorted { ($0.refusedAt, $0.digest) < ($1.refusedAt, $1.digest) }
            switch output.effectiveFormat {
            case .json:
                for item in items {
                    Terminal.standardOutput.write(Self.row(item, called: item.digest).serialized() + "\n")
                }
            case .table:
                let rows = items.map { Self.row($0, called: String($0.digest.prefix(Self.digestCharacters))) }
                Terminal.standardOutput.write(
                    rows.isEmpty ? "nothing in quarantine\n" : AnswerTable.table(rows, Self.columns))
            }
        }

        private static func row(_ item: QuarantinedItem, called digest: String) -> JSONValue {
            func noted(_ key: StaticString) -> JSONValue { JSONValue(item.note?[key]?.string) }
            return .object([
                "digest": .string(digest), "refusedAt": noted("refusedAt"), "source": noted("source"),
                "bytes": JSONValue(item.artifact.count), "code": noted("code"), "reason": noted("reason"),
                "expected": noted("expected"), "found": noted("found"), "part": noted("part"),
            ])
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Verify items again, and append those that are accepted now.",
            discussion: """
                They are verified as the options and the configuration say now, and appended as from where they came. \
                What is in the log then leaves the quarantine; the rest stays. Prints and exits as ingest does. It \
                takes the ledger for writing: stop the service first.

                For whom a transaction was posted is not kept with it: --customer tells it again, of all that are tried.

                EXAMPLES
                  subledger quarantine retry --config subledger.yaml
                  subledger quarantine retry 3f9a77 --bundle-id com.example.app --trust-root root.pem
                """)

        @Argument(help: "Which; without any, all.")
        var digests: [String] = []

        @Option(help: "Whose the transactions are: the id that you call the customer.")
        var customer: String?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var trust: TrustOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let started = SystemClock.now()
            let folder = try QuarantineCommand.folder(ledger)
            let customer = try customer.map { try CustomerName($0) }
            let opened = try Ledger(writing: try ledger.configuration(trust))
            defer { opened.close() }
            var pipeline = IngestPipeline(ledger: opened, customer: customer)
            let report = IngestReport(format: output.effectiveFormat, showsProgress: output.showsProgress)
            for digest in try digests.isEmpty ? Quarantine.digests(in: folder) : named(digests, in: folder) {
                guard let item = try Quarantine.item(digest, in: folder) else { continue }
                try settle(try await pipeline.add(FoundArtifact(item)), report, folder)
            }
            try settle(try await pipeline.finish(), report, folder)
            let seconds = Double(SystemClock.now().milliseconds - started.milliseconds) / 1_000
            report.finish(seconds: seconds)
            if report.refused > 0 { throw ExitCode(CommandFailure.refused) }
        }

        private func settle(_ results: [IngestPipeline.Result], _ report: IngestReport, _ folder: String) throws {
            for result in results {
                if case .appended = result.outcome { try Quarantine.drop(result.file, in: folder) }
            }
            report.add(results)
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove items for good; a running ledger has room for others then.",
            discussion: """
                EXAMPLES
                  subledger quarantine drop 3f9a77
                  subledger quarantine drop --all
                """)

        @Argument(help: "Which.")
        var digests: [String] = []

        @Flag(help: "Every item.")
        var all = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard digests.isEmpty == all else { throw ValidationError("Name the items, or give --all.") }
        }

        func run() throws {
            let folder = try QuarantineCommand.folder(ledger)
            let dropped = try all ? Quarantine.digests(in: folder) : named(digests, in: folder)
            for digest in dropped { try Quarantine.drop(digest, in: folder) }
            switch output.effectiveFormat {
            case .json:
                let answer = JSONValue.object(["dropped": JSONValue(dropped.count)])
                Terminal.standardOutput.write(answer.serialized() + "\n")
            case .table: Terminal.standardOutput.write("\(dropped.count) dropped\n")
            }
        }
    }

    fileprivate static func folder(_ ledger: LedgerOptions) throws -> String {
        let folder = try ledger.folder
        try folder.requireExists()
        return folder.quarantine
    }
}

extension QuarantinedItem {
    fileprivate var refusedAt: String { note?["refusedAt"]?.string ?? "" }
}

/// The items whose names begin so, in the order given.
/// - Throws: `quarantine_item_unknown` unless each is the beginning of exactly one.
private func named(_ beginnings: [String], in folder: String) throws -> [String] {
    let digests = try Quarantine.digests(in: folder)
    return try beginnings.map { beginning in
        let matching = digests.filter { $0.hasPrefix(beginning.lowercased()) }
        guard matching.count == 1, !beginning.isEmpty else {
            throw CommandFailure(
                code: "quarantine_item_unknown", message: "\(beginning) names no one item in quarantine",
                expected: "the beginning of one digest", found: "\(matching.count) that begin so",
                hint: "See `subledger quarantine list`.", exitCode: CommandFailure.refused)
        }
        return matching[0]
    }
}
