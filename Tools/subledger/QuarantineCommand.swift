import AppStoreVerification
import ArgumentParser
import Ingestion
import LedgerStorage
import Primitives
import SubscriptionLedger

struct QuarantineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Manage quarantined artifacts.",
        discussion: """
            The quarantine keeps artifacts that were refused but are well-formed. An item is identified by the SHA-256 \
            of the artifact or a unique prefix of it.
            """,
        subcommands: [List.self, Retry.self, Drop.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List quarantined items.",
            discussion: """
                EXAMPLES
                  subledger quarantine list
                  subledger quarantine list --format json | jq -r 'select(.code == "bundle_mismatch") | .found'
                """)

        private static let columns = ["digest", "refusedAt", "source", "bytes", "code", "found", "reason"]
        /// The number of digest characters in a table, enough to be unique in practice.
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
            // The sort is stable: items of the same instant stay in the order of their digests.
            rows.sort { $0.refusedAt < $1.refusedAt }
            switch format {
            case .json: for row in rows { Terminal.standardOutput.write(row.row.serialized() + "\n") }
            case .table:
                Terminal.standardOutput.write(
                    rows.isEmpty ? "the quarantine is empty\n" : AnswerTable.table(rows.map(\.row), Self.columns))
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
            abstract: "Verify items again and append the accepted ones.",
            discussion: """
                Uses the options and the configuration of this command. Removes appended items from the quarantine and \
                keeps the others. Output and exit status are those of `subledger ingest`; a running service does the \
                work in the same way.

                The quarantine does not record customers. --customer links the transactions of all retried items to a \
                customer.

                --trust-files vouches for items that nobody signed: answers of verifyReceipt count as a whole, and \
                notifications of version 1 need no password. Their events say `asserted`.

                EXAMPLES
                  subledger quarantine retry --config subledger.yaml
                  subledger quarantine retry 3f9a77 --bundle-id com.example.app --trust-root root.pem
                """)

        @Argument(help: "Digests to retry (default: all).")
        var digests: [String] = []

        @Flag(
            name: .customLong("trust-files"),
            help: "Vouch for answers of verifyReceipt and notifications of version 1, which are not signed.")
        var trustFiles = false

        @OptionGroup var options: IngestOptions

        func run() async throws {
            let folder = try QuarantineCommand.folder(options.ledger)
            let digests = try digests.isEmpty ? Quarantine.digests(in: folder) : named(digests, in: folder)
            let isTrusted = trustFiles
            try await options.run { add in
                for digest in digests {
                    guard let item = try Quarantine.item(digest, in: folder) else { continue }
                    try await add(FoundArtifact(item, isTrusted: isTrusted))
                }
            } settle: { results in
                let settled = results.filter { if case .refused = $0.outcome { false } else { true } }
                try Quarantine.drop(settled.map(\.file), in: folder)
            }
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete items permanently.",
            discussion: """
                EXAMPLES
                  subledger quarantine drop 3f9a77
                  subledger quarantine drop --all
                """)

        @Argument(help: "Digests to delete.")
        var digests: [String] = []

        @Flag(help: "Delete all items.")
        var all = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            guard digests.isEmpty == all else {
                throw CommandFailure(usage: "Give either digests or --all")
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

/// Returns the digests that start with the given prefixes, in the order of the prefixes, without duplicates.
/// - Throws: `quarantine_item_unknown` unless each prefix selects exactly one.
private func named(_ beginnings: [String], in folder: String) throws -> [String] {
    let digests = try Quarantine.digests(in: folder)
    var named: [String] = []
    for beginning in beginnings {
        let matching = digests.filter { $0.hasPrefix(beginning.lowercased()) }
        guard matching.count == 1, !beginning.isEmpty else {
            throw CommandFailure(
                code: "quarantine_item_unknown", message: "no unique quarantine item for prefix \(beginning)",
                expected: "a prefix of exactly one digest", found: "\(matching.count) matching items",
                hint: "Run `subledger quarantine list` to list the digests.", exitCode: CommandFailure.refused)
        }
        if !named.contains(matching[0]) { named.append(matching[0]) }
    }
    return named
}
