import ArgumentParser
import Glibc
import LedgerAPI
import Primitives
import SubscriptionLedger

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Inspect the log.",
        subcommands: [Show.self, Tail.self, Acts.self, Stat.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show an event or its evidence.",
            discussion: """
                JSON output contains the event with its facts. Table output is one line.

                EXAMPLES
                  subledger log show 0 --format json
                  subledger log show 17 --evidence > notification.jws
                """)

        @Argument(help: "Position of the event.")
        var position: UInt64

        @Flag(help: "Write only the verbatim evidence bytes.")
        var evidence = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let opened = try ledger.reading()
            if evidence {
                guard try position < opened.size() else { throw beyond(opened) }
                guard let evidence = try opened.evidence(at: position) else {
                    throw CommandFailure(
                        code: "evidence_unknown", message: "event \(position) has no evidence",
                        hint: "See `subledger log show \(position)`.", exitCode: CommandFailure.refused)
                }
                Terminal.standardOutput.write(evidence.bytes)
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

        private func beyond(_ ledger: LedgerReader) -> CommandFailure {
            CommandFailure(
                code: "position_unknown", message: "no event at position \(position)",
                expected: "a position below \((try? ledger.size()) ?? 0)", found: "\(position)",
                exitCode: CommandFailure.refused)
        }
    }

    struct Tail: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the last events.",
            discussion: """
                JSON output contains one event per line, without its facts.

                EXAMPLES
                  subledger log tail
                  subledger log tail -f | jq .kind
                """)

        @Flag(name: .shortAndLong, help: "Keep printing events as they are appended.")
        var follow = false

        @Option(name: .customShort("n"), help: "Number of last events to print.")
        var count: UInt64 = 10

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        /// The pause between checks for new events.
        private static let pauseMicroseconds: UInt32 = 200_000

        func run() throws {
            let opened = try ledger.reading()
            let size = try opened.size()
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

        /// The number of rows printed together.
        private static let batch = 100

        private func rows(of ledger: LedgerReader, from position: UInt64) throws -> [EventRow] {
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
            abstract: "Show event counts and sizes.",
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
