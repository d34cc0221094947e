import ArgumentParser
import Glibc
import LedgerAPI
import LedgerConfiguration
import Primitives
import ProjectionRuntime
import SubscriptionLedger

extension ProjectCommand {
    struct Rebuild: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compute a stored projection from all events.",
            discussion: """
                The rows are as of the time when the last event was recorded. They are written beside the stored rows \
                of the same rules, checked, and then replace the stored rows. Projections under other rules stay until \
                `subledger project drop`. A service can keep running; the rebuild has a low priority.

                PROJECTIONS
                  \(Projections.names.joined(separator: "\n  "))

                EXAMPLES
                  subledger project rebuild
                  subledger project rebuild subscription-status --rules candidate.yaml --memory 2147483648
                  subledger project rebuild --incremental --format json
                """)

        @Argument(help: "Projection (default: all).")
        var name: String?

        @Option(
            help: "Memory for the index and for sorting, in bytes; larger data uses temporary files (default: 768 MiB)."
        )
        var memory: Int?

        @Option(name: .customLong("rules"), help: "Rules file (default: the active rules).")
        var rulesFile: String?

        @Flag(help: "Fold only the keys that changed since the stored projection. The result is the same.")
        var incremental = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            if let memory, memory < RebuildOptions.leastMemory {
                throw ValidationError("--memory must be at least \(RebuildOptions.leastMemory) bytes")
            }
        }

        func run() throws {
            let rules = try rulesFile.map { try RulesFile(path: $0).rules }
            let opened = try ledger.reading()
            // The requests of a running service take precedence.
            _ = nice(10)
            let bar = RebuildProgressBar()
            var options = RebuildOptions()
            if let memory { options.memory = memory }
            if output.showsProgress { options.report = { bar.show($0) } }
            let rows = try (name.map { [$0] } ?? Projections.names).map { name in
                defer { if output.showsProgress { bar.clear() } }
                return try opened.rebuildProjection(name, rules: rules, isIncremental: incremental, options)
            }
            ProjectionReport.print(rows, in: output.effectiveFormat)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the rows of a stored projection.",
            discussion: """
                One row per line, ordered by key. A row of subscription-status has the JSON form of `state`. A row of \
                transitions says what changed, why, and the state after it; a subscription has its rows in the order \
                of the feed.

                EXAMPLES
                  subledger project show subscription-status
                  subledger project show transitions --digest DIGEST --format json | wc -l
                """)

        @Argument(help: "Projection.")
        var name: String

        @Option(help: "Digest of the rules, or a unique prefix (default: the active rules).")
        var digest: String?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let rows = try ledger.reading().projectedRows(of: name, rules: digest)
            try ProjectionReport.print(rows, in: output.effectiveFormat)
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove the stored projections of a set of rules.",
            discussion: """
                Deletes only rows, which `subledger project rebuild` can compute again. Events and rules stay.

                EXAMPLE
                  subledger project drop DIGEST
                """)

        @Argument(help: "Digest of the rules, or a unique prefix.")
        var digest: String

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let dropped = try ledger.reading().dropProjections(digest)
            switch output.effectiveFormat {
            case .json:
                let answer = JSONValue.object([
                    "digest": .string(dropped.digest), "dropped": .array(dropped.projections.map { .string($0) }),
                ])
                Terminal.standardOutput.write(answer.serialized() + "\n")
            case .table:
                for name in dropped.projections {
                    Terminal.standardOutput.write("\(name) under the rules \(dropped.digest) removed\n")
                }
            }
        }
    }
}

/// Prints projections.
enum ProjectionReport {
    private static let linesPerTable = 1_000

    /// Returns the columns of a table of rows.
    private static func columns(of projection: String) -> [String] {
        projection == "transitions"
            ? ["originalTransactionId", "recordedAt", "effectiveAt", "change", "cause", "position"]
            : StateCommand.columns
    }

    static func print(_ rows: [ProjectionRow], in format: OutputFormat) {
        switch format {
        case .json:
            let answer = JSONValue.object(["projections": rows.json])
            Terminal.standardOutput.write(answer.serialized() + "\n")
        case .table: Terminal.standardOutput.write(table(of: rows.map(\.json)))
        }
    }

    /// - Parameter rows: the wire forms of projections.
    static func table(of rows: [JSONValue]) -> String {
        AnswerTable.table(
            rows,
            ["projection", "rules", "digest", "active", "currentVersion", "knownAt", "asOf", "rows", "bytes", "sha256"])
    }

    /// Prints rows as they are read.
    static func print(_ projected: ProjectedRows, in format: OutputFormat) throws {
        var lines: [JSONValue] = []
        let columns = columns(of: projected.projection.projection)
        var layout = TextColumns()
        func write() {
            switch format {
            case .json: Terminal.standardOutput.write(lines.map { $0.serialized() + "\n" }.joined())
            case .table:
                let header = layout.widths.isEmpty ? [columns] : []
                let cells = AnswerTable.cells(of: lines, columns)
                Terminal.standardOutput.write(layout.text(of: header + cells))
            }
            lines = []
        }
        while let rows = try projected.next() {
            lines += rows
            if lines.count >= linesPerTable { write() }
        }
        if !lines.isEmpty { write() }
    }
}
