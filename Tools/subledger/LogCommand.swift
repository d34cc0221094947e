import ArgumentParser
import EventLog
import Glibc
import LedgerAPI
import Primitives
import SubscriptionLedger

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Inspect the log.",
        subcommands: [Show.self, Tail.self, Stat.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one event, or its verbatim evidence.",
            discussion: """
                JSON has the whole event with its facts; a table has one line.

                EXAMPLES
                  subledger log show 0 --format json
                  subledger log show 17 --evidence > notification.jws
                """)

        @Argument(help: "The event's position.")
        var position: UInt64

        @Flag(help: "Write only the verbatim bytes of the evidence.")
        var evidence = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let opened = try ledger.reading()
            if evidence {
                guard let bytes = try opened.log.evidence(at: position) else { throw beyond(opened) }
                guard !bytes.isEmpty else {
                    throw CommandFailure(
                        code: "evidence_unknown", message: "event \(position) has no evidence",
                        hint: "`subledger log show \(position)` shows the event.", exitCode: CommandFailure.refused)
                }
                Terminal.standardOutput.write(bytes)
            } else {
                guard let event = try opened.event(at: position, facts: true) else { throw beyond(opened) }
                switch output.effectiveFormat {
                case .json: Terminal.standardOutput.write(event.json.serialized() + "\n")
                case .table:
                    var table = EventTable()
                    table.write([event])
                }
            }
        }

        private func beyond(_ ledger: Ledger) -> CommandFailure {
            CommandFailure(
                code: "position_unknown", message: "there is no event at position \(position)",
                expected: "a position below \((try? ledger.log.head().size) ?? 0)", found: "\(position)",
                exitCode: CommandFailure.refused)
        }
    }

    struct Tail: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the last events; with -f also later ones.",
            discussion: """
                JSON has one event per line, without its facts.

                EXAMPLES
                  subledger log tail
                  subledger log tail -f | jq .kind
                """)

        @Flag(name: .shortAndLong, help: "Keep printing events as they are appended.")
        var follow = false

        @Option(name: .customShort("n"), help: "Number of events to start with.")
        var count: UInt64 = 10

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        /// Between checks for new events.
        private static let pauseMicroseconds: UInt32 = 200_000

        func run() throws {
            let opened = try ledger.reading()
            let size = try opened.log.head().size
            var next = size - min(count, size)
            var table = EventTable()
            while true {
                let rows = try rows(of: opened, from: next)
                next += UInt64(rows.count)
                switch output.effectiveFormat {
                case .json: for row in rows { Terminal.standardOutput.write(row.json.serialized() + "\n") }
                case .table: table.write(rows)
                }
                guard rows.isEmpty else { continue }
                guard follow, Terminal.lostOutput == nil else { return }
                usleep(Self.pauseMicroseconds)
            }
        }

        /// Rows that are printed together.
        private static let batch = 100

        private func rows(of ledger: Ledger, from position: UInt64) throws -> [EventRow] {
            var rows: [EventRow] = []
            while rows.count < Self.batch,
                let row = try ledger.event(at: position + UInt64(rows.count), facts: false)
            {
                rows.append(row)
            }
            return rows
        }
    }

    struct Stat: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show counts and sizes.",
            discussion: """
                EXAMPLES
                  subledger log stat --data /var/lib/subledger
                """)

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let statistics = try ledger.reading().statistics()
            switch output.effectiveFormat {
            case .json: Terminal.standardOutput.write(statistics.serialized() + "\n")
            case .table: Terminal.standardOutput.write(AnswerTable.members(of: statistics))
            }
        }
    }
}
