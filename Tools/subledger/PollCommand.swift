import ArgumentParser
import DuePolls
import LedgerAPI
import LedgerConfiguration
import LedgerStorage
import Primitives
import SubscriptionLedger

struct PollCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "poll",
        abstract: "Request overdue subscription statuses from Apple.",
        discussion: """
            A subscription is due when its period ended with an unknown outcome, when Apple retries a \
            charge, when an answer rests on an inference, before a period ends, and after a long silence. One call \
            answers all subscriptions of an Apple account in an app: a call of the App Store Server API for an app \
            with a key, and of verifyReceipt for an account with a receipt of an app with a shared secret. Calls stay \
            below Apple's hourly limits and `polling.callsPerHour`.
            """,
        subcommands: [Due.self, Run.self, Subscription.self])

    struct Due: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the next question about each account.",
            discussion: """
                Those that are due come first, in the order in which they are asked, then the others by time.

                EXAMPLES
                  subledger poll due
                  subledger poll due --as-of 2026-04-01 --format json | jq '.[] | select(.why == "retry")'
                """)

        private static let columns = [
            "environment", "bundleId", "originalTransactionId", "dueAt", "why", "attempt",
        ]

        @Option(name: .customLong("as-of"), help: "Instant for which to list the questions (default: now).")
        var asOf: Instant?

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: RowOutputOptions

        func run() throws {
            let policy = PollPolicy(try ledger.settings().polling)
            let opened = try ledger.reading()
            let rows = try opened.duePolls(at: try asOf ?? PresentInstant.of(opened), policy: policy).map(\.json)
            switch output.effectiveFormat {
            case .json: Terminal.standardOutput.write(JSONValue.array(rows).serialized() + "\n")
            case .csv: Terminal.standardOutput.write(CSVTable(rows).text)
            case .table:
                Terminal.standardOutput.write(
                    rows.isEmpty ? "no subscription to ask about\n" : AnswerTable.table(rows, Self.columns))
            }
        }
    }

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask about everything that is due.",
            discussion: """
                Prints how many questions were asked, how many answers changed a state, how many failed, and how many \
                apps have to wait for their limit of calls. Without --once it continues until it is interrupted. Calls \
                about an app stop when Apple refuses its key or its shared secret: an error names the app, and the \
                exit status is 1. While `serve` runs, the service asks on behalf of the command.

                EXAMPLES
                  subledger poll run --once --config subledger.yaml
                """)

        private static let pause = Duration.seconds(1)

        @Flag(help: "Stop after one round.")
        var once = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await PollCommand.withAsking(ledger) { ask in
                var stops = StoppedCallsReport(output.effectiveFormat)
                let counts = try await ask(.due)
                PollCommand.print(counts, output)
                stops.report(counts)
                while !once {
                    try await Task.sleep(for: Self.pause)
                    let counts = try await ask(.due)
                    if counts[member: "polled"] != .integer(0) { PollCommand.print(counts, output) }
                    stops.report(counts)
                }
                try stops.requireNone()
            }
        }
    }

    struct Subscription: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask about a subscription, whether it is due or not.",
            discussion: """
                EXAMPLES
                  subledger poll subscription 2000000123456789 --config subledger.yaml
                """)

        @Argument(help: "originalTransactionId of the subscription.")
        var originalTransactionId: String

        @OptionGroup var scope: ScopeOptions
        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await PollCommand.withAsking(ledger) { ask in
                var stops = StoppedCallsReport(output.effectiveFormat)
                let counts = try await ask(.subscription(scope.selector(originalTransactionId)))
                PollCommand.print(counts, output)
                stops.report(counts)
                try stops.requireNone()
            }
        }
    }

    private typealias Asking = (PollRequest) async throws -> JSONValue

    /// Calls `body` with a function that asks Apple in this process, or through the running service.
    private static func withAsking(_ options: LedgerOptions, _ body: (Asking) async throws -> Void) async throws {
        let settings = try options.settings()
        try options.folder.requireExists()
        let access = try LedgerAccess(try options.configuration())
        defer { access.close() }
        switch access {
        case .service(let client): try await body { try await client.poll($0) }
        case .writer(let writer):
            guard let appStore = try AppStoreAccess(settings, writer) else { throw AppStoreConnections.none }
            try await appStore.whileOpen { try await body { try await appStore.poller.counts(of: $0).json } }
        }
    }

    private static func print(_ counts: JSONValue, _ output: OutputOptions) {
        switch output.effectiveFormat {
        case .json: Terminal.standardOutput.write(counts.serialized() + "\n")
        case .table:
            Terminal.standardOutput.write(
                AnswerTable.table([counts], ["polled", "changed", "unchanged", "failed", "rateLimited"]))
        }
    }
}

/// Prints an error for each app whose calls stopped, once.
private struct StoppedCallsReport {
    private let format: OutputFormat
    private var reported: Set<JSONValue> = []

    init(_ format: OutputFormat) { self.format = format }

    mutating func report(_ counts: JSONValue) {
        guard case .array(let stops)? = counts[member: "stoppedCalls"] else { return }
        for stop in stops where reported.insert(stop).inserted { CommandFailure(stopped: stop).report(as: format) }
    }

    /// - Throws: exit code 1 when calls stopped.
    func requireNone() throws {
        guard reported.isEmpty else { throw ExitCode(CommandFailure.refused) }
    }
}

extension CommandFailure {
    /// Creates the failure of an app whose calls stopped, with the cause in words.
    fileprivate init(stopped stop: JSONValue) {
        func text(_ name: String) -> String? {
            if case .string(let text)? = stop[member: name] { text } else { nil }
        }
        let app = [text("bundleId"), text("environment")].compactMap(\.self).joined(separator: " in ")
        self.init(
            code: text("code") ?? "", message: "the calls about \(app) stopped: \(text("message") ?? "")",
            expected: text("expected"), found: text("found"), hint: text("hint"), exitCode: Self.refused)
    }
}
