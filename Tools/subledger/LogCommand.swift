import ArgumentParser
import EventLog
import Glibc
import Primitives
import SubscriptionLedger

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "Look into the log.",
        subcommands: [Show.self, Tail.self, Stat.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "One event, or its verbatim evidence.",
            discussion: """
                EXAMPLES
                  subledger log show 0
                  subledger log show 17 --evidence > notification.jws
                """)

        @Argument(help: "The event's position.")
        var position: UInt64

        @Flag(help: "Write the verbatim bytes of the evidence and nothing else.")
        var evidence = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws { try output.requireNoTable() }

        func run() throws {
            let opened = try ledger.reading()
            if evidence {
                guard let bytes = try opened.log.evidence(at: position) else { throw beyond(opened) }
                guard !bytes.isEmpty else {
                    throw CommandFailure(
                        code: "evidence_unknown", message: "the event at position \(position) rests on no evidence",
                        hint: "`subledger log show \(position)` shows the event.", exitCode: CommandFailure.refused)
                }
                Terminal.standardOutput.write(bytes)
            } else {
                guard let event = try opened.event(at: position, facts: true) else { throw beyond(opened) }
                Terminal.standardOutput.write(event.serialized() + "\n")
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
            abstract: "The last events, and with -f those to come.",
            discussion: """
                EXAMPLES
                  subledger log tail
                  subledger log tail -f | jq .kind
                """)

        @Flag(name: .shortAndLong, help: "Go on with events as they are appended.")
        var follow = false

        @Option(name: .customShort("n"), help: "How many events to begin with.")
        var count: UInt64 = 10

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func validate() throws { try output.requireNoTable() }

        /// Commits come in groups, many a second: a shorter wait would show nothing more.
        private static let pauseMicroseconds: UInt32 = 200_000

        func run() throws {
            let opened = try ledger.reading()
            let size = try opened.log.head().size
            var next = size - min(count, size)
            while true {
                while let event = try opened.event(at: next, facts: false) {
                    Terminal.standardOutput.write(event.serialized() + "\n")
                    next += 1
                }
                guard follow, Terminal.lostOutput == nil else { return }
                usleep(Self.pauseMicroseconds)
            }
        }
    }

    struct Stat: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Counts and sizes.",
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
