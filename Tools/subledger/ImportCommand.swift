import ArgumentParser
import LedgerConfiguration
import LedgerStorage
import Primitives
import SubscriptionLedger
import Synchronization

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take over a running business by its ids.",
        discussion: """
            EXAMPLES
              subledger import subscriptions.ndjson --config subledger.yaml
              subledger import revenuecat transactions.csv
            """,
        subcommands: [Rows.self, ImportRevenueCat.self], defaultSubcommand: Rows.self)

    struct Rows: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fill a file of ids from Apple (the default).",
            discussion: """
                A row of the file is a JSON object on a line, with one of originalTransactionId, transactionId, jws and \
                receipt. It may name its app and environment with bundleId and environment, and its owner with \
                customerId and appAccountToken. The transactions of each id and its status are requested from Apple, \
                with at most half of the calls, after all polls.

                Each row has a verdict: `filled` or `known` when the log has it, `unknown_id` when Apple does not know \
                it, `refused`, `conflict` when another customer owns it, `malformed`, or `waiting` when nobody can ask \
                Apple. Importing a file again is harmless: an interrupted import continues. Exits with status 1 unless \
                every row is filled or known. While `serve` runs, the service imports on behalf of the command.

                EXAMPLES
                  subledger import subscriptions.ndjson --config subledger.yaml
                  echo '{"originalTransactionId":"2000000123456789","customerId":"alice"}' | subledger import -
                """)

        @Argument(help: "File with a JSON object on each line; - reads standard input.")
        var file: String

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var trust: TrustOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try ImportCommand.requireFile(file)
            let settings = try ledger.settings()
            let report = ImportReport(output)
            let access = try LedgerAccess(try ledger.configuration(trust))
            defer { access.close() }
            switch access {
            case .service(let client):
                try await client.importRows(at: file, counting: report.total) { report.add($0) }
            case .writer(let writer):
                let appStore = try AppStoreAccess(settings, writer)
                let importer = try AppStoreAccess.importer(
                    appStore, writer, concurrency: settings.polling.concurrency)
                do {
                    try await ImportCommand.importRows(at: file, importer, report)
                } catch {
                    await appStore?.connections.shutdown()
                    throw error
                }
                await appStore?.connections.shutdown()
            }
            report.finish()
            if report.hasProblems { throw ExitCode(CommandFailure.refused) }
        }
    }

    /// - Throws: `io_error`; a usage error for a folder.
    static func requireFile(_ path: String) throws {
        guard try ArtifactFiles.readable([path]) == [path] else {
            throw CommandFailure(usage: "\(path) is a folder. Name a file.")
        }
    }

    fileprivate static func importRows(
        at path: String, _ importer: Importer, _ report: ImportReport
    ) async throws {
        let incoming = try importer.incoming(by: .admin)
        var chunks = try ChunkReader(path: path)
        while let chunk = try chunks.next() {
            report.total.add(chunk)
            try incoming.write(chunk)
        }
        let file = try await importer.keep(incoming)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !Task.isCancelled {
                    if try await !importer.round() { try await Task.sleep(for: Importer.pause) }
                }
            }
            try await importer.follow(file) { report.add($0) }
            group.cancelAll()
            do {
                try await group.waitForAll()
            } catch is CancellationError {}
        }
    }
}

/// The number of lines that were read.
final class LineCount: Sendable {
    private let count = Mutex(0)

    var lines: Int { count.withLock { $0 } }

    func add(_ chunk: [UInt8]) {
        let found = chunk.count { $0 == UInt8(ascii: "\n") }
        count.withLock { $0 += found }
    }
}

/// Prints the verdicts of an import.
private final class ImportReport {
    let total = LineCount()
    private let format: OutputFormat
    private let bar: ShareProgressBar?
    private var decided = 0
    private var counts: [ImportVerdict.Word: Int] = [:]
    private var problems: [JSONValue] = []
    private var hiddenProblems = 0

    /// The rows with problems that a table lists.
    private static let listed = 1_000

    init(_ output: OutputOptions) {
        format = output.effectiveFormat
        bar = output.showsProgress ? ShareProgressBar("importing") : nil
    }

    var hasProblems: Bool { counts.contains { ![.filled, .known].contains($0.key) && $0.value > 0 } }

    func add(_ lines: [ImportLine]) {
        decided += lines.count
        bar?.show(min(Double(decided) / Double(max(total.lines, 1)), 1))
        for line in lines {
            counts[line.verdict.word, default: 0] += 1
            if format == .json {
                Terminal.standardOutput.write(line.json.serialized() + "\n")
            } else if ![.filled, .known].contains(line.verdict.word) {
                if problems.count < Self.listed { problems.append(line.json) } else { hiddenProblems += 1 }
            }
        }
    }

    func finish() {
        bar?.clear()
        guard format == .table else { return }
        if !problems.isEmpty {
            Terminal.standardOutput.write(AnswerTable.table(problems, ["line", "verdict", "code"]))
        }
        if hiddenProblems > 0 { Terminal.standardOutput.write("and \(hiddenProblems) more; --format json lists all\n") }
        let sums = ImportVerdict.Word.allCases.compactMap { word in
            counts[word].map { "\($0) \(word.rawValue)" }
        }
        Terminal.standardOutput.write((sums.isEmpty ? "no rows" : sums.joined(separator: ", ")) + "\n")
    }
}
