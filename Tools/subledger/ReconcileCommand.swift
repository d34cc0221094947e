import ArgumentParser
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger

struct ReconcileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Compare Apple's notification history with the log, and append what is missing.",
        discussion: """
            Apple keeps notifications for 180 days, in the sandbox for 30. `matched` ones were in the log, `missing` ones \
            were not: they are now, unless they are `unverifiable`. `lost` counts the missing ones that this service \
            confirmed according to Apple, and `pending` those that Apple will deliver again. `lateness` is in seconds \
            from Apple's first attempt. The comparison becomes an event. With `polling.enabled`, `serve` reconciles at \
            its start and once a day. While `serve` runs, the service works on behalf of the command.

            EXAMPLES
              subledger reconcile --since 2026-03-01 --config subledger.yaml
              subledger reconcile --since 2026-03-01 --until 2026-03-08 --format json
            """)

    @Option(
        help:
            "Start of the window: a date (its first instant in UTC), ISO 8601 with a zone, or milliseconds since 1970."
    )
    var since: Instant

    @Option(help: "End of the window, in the same forms (default: five minutes ago).")
    var until: Instant?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard until.map({ since <= $0 }) ?? true else { throw ValidationError("--since must not be after --until.") }
    }

    func run() async throws {
        let settings = try ledger.settings()
        try ledger.folder.requireExists()
        let request = ReconcileRequest(since: since, until: until ?? .latest)
        let access = try LedgerAccess(try ledger.configuration())
        defer { access.close() }
        let bar = output.showsProgress ? ShareProgressBar("reconciling") : nil
        defer { bar?.clear() }
        switch access {
        case .service(let client): report(try await client.reconcile(request) { bar?.show($0) })
        case .writer(let writer):
            guard let appStore = try AppStoreAccess(settings, writer) else { throw AppStoreConnections.noKey }
            try await appStore.whileOpen {
                let answer = try await appStore.reconciler.reconcile(since: request.since, until: request.until) {
                    bar?.show($0)
                }
                report(answer.json)
            }
        }
    }

    private func report(_ answer: JSONValue) {
        switch output.effectiveFormat {
        case .json: Terminal.standardOutput.write(answer.serialized() + "\n")
        case .table: Terminal.standardOutput.write(AnswerTable.table([answer], Self.columns))
        }
    }

    private static let columns = [
        "since", "until", "matched", "missing", "ingested", "unverifiable", "lost", "pending", "notCovered",
    ]
}
