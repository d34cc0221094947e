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
            let format = output.effectiveFormat
            var rows = try Quarantine.digests(in: folder).compactMap { digest in
                try Quarantine.item(digest, in: folder).map { item in
                    (
                        refusedAt: item.note?["refusedAt"]?.string ?? "",
                        row: Self.row(
                            item, called: format == .json ? digest : String(digest.prefix(Self.digestCharacters)))
                    )
                }
            }
            // Those of one moment stay in the order of their digests.
            rows.sort { $0.refusedAt < $1.refusedAt }
            switch format {
            case .json: for row in rows { Terminal.standardOutput.write(row.row.serialized() + "\n") }
            case .table:
                Terminal.standardOutput.write(
                    rows.isEmpty ? "nothing in quarantine\n" : AnswerTable.table(rows.map(\.row), Self.columns))
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

        @Option(help: "The customer of the transactions: your id.")
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
            let report = IngestReport(output, linking: customer != nil)
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
            let settled = results.filter { if case .appended = $0.outcome { true } else { false } }
            try Quarantine.drop(settled.map(\.file), in: folder)
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

        func run() throws {
            guard digests.isEmpty == all else {
                throw CommandFailure(
                    code: "usage", message: "Name the items, or give --all", exitCode: CommandFailure.usage)
            }
            let folder = try QuarantineCommand.folder(ledger)
            let dropped = try Quarantine.drop(
                all ? Quarantine.digests(in: folder) : named(digests, in: folder), in: folder)
            switch output.effectiveFormat {
            case .json:
                let answer = JSONValue.object(["dropped": JSONValue(dropped)])
                Terminal.standardOutput.write(answer.serialized() + "\n")
            case .table: Terminal.standardOutput.write("\(dropped) dropped\n")
            }
        }
    }

    fileprivate static func folder(_ ledger: LedgerOptions) throws -> String {
        let folder = try ledger.folder
        try folder.requireExists()
        return folder.quarantine
    }
}

/// The items whose names begin so, in the order given, each once.
/// - Throws: `quarantine_item_unknown` unless each is the beginning of exactly one.
private func named(_ beginnings: [String], in folder: String) throws -> [String] {
    let digests = try Quarantine.digests(in: folder)
    var named: [String] = []
    for beginning in beginnings {
        let matching = digests.filter { $0.hasPrefix(beginning.lowercased()) }
        guard matching.count == 1, !beginning.isEmpty else {
            throw CommandFailure(
                code: "quarantine_item_unknown", message: "\(beginning) names no one item in quarantine",
                expected: "the beginning of one digest", found: "\(matching.count) that begin so",
                hint: "See `subledger quarantine list`.", exitCode: CommandFailure.refused)
        }
        if !named.contains(matching[0]) { named.append(matching[0]) }
    }
    return named
}
