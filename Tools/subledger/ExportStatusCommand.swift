import ArgumentParser
import Exports
import LedgerConfiguration
import LedgerStorage
import Primitives

struct ExportStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the exports on a schedule.",
        discussion: """
            Shows for each of `exports` in the configuration its next instant, the last completed run, and the failure of \
            the last run, if it failed. The service runs them; a failed run is repeated.

            EXAMPLES
              subledger export status --config subledger.yaml
            """
    )

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (settings, folder, now) = (try ledger.settings(), try ledger.folder, SystemClock.now())
        let rows = settings.exports.map {
            Row($0, ScheduleRecord(of: $0.name, in: folder), next: $0.schedule.next(after: now))
        }
        switch output.effectiveFormat {
        case .json:
            let answer = JSONValue.object(["exports": .array(rows.map(\.json))])
            Terminal.standardOutput.write(answer.serialized() + "\n")
        case .table:
            var columns = TextColumns()
            let header = ["name", "daily at", "next", "last instant", "completed at", "failure"]
            Terminal.standardOutput.write(columns.text(of: [header] + rows.map(\.cells)) + "\n")
        }
    }

    private struct Row {
        let export: Settings.Export
        let record: ScheduleRecord
        let next: Instant

        init(_ export: Settings.Export, _ record: ScheduleRecord, next: Instant) {
            (self.export, self.record, self.next) = (export, record, next)
        }

        var cells: [String] {
            [
                export.name, "\(export.schedule.time) \(export.schedule.zone.name)", next.iso8601,
                record.completed?.slot.iso8601 ?? "-", record.completed?.completedAt.iso8601 ?? "-",
                record.failed.map { "\($0.code) (\($0.attempts))" } ?? "-",
            ]
        }

        var json: JSONValue {
            .object([
                "name": .string(export.name), "dailyAt": .string(export.schedule.time),
                "zone": .string(export.schedule.zone.name), "next": .string(next.iso8601),
                "completed": record.completed.map {
                    .object([
                        "asOf": .string($0.slot.iso8601), "completedAt": .string($0.completedAt.iso8601),
                        "manifest": .string($0.manifestPath),
                    ])
                } ?? .null,
                "failed": record.failed?.json ?? .null,
            ])
        }
    }
}
