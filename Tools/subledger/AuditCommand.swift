import AppStoreModel
import AppStoreVerification
import ArgumentParser
import EventLog
import Primitives
import SubscriptionLedger

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Prove that nothing in the log was altered.",
        subcommands: [Verify.self, SignedCheckpoint.self, Key.self])

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read everything, and check that it is what it says.",
            discussion: """
                Checks every record, its leaf hash, its evidence byte for byte, and the tree over all of them. With \
                --deep also every page of the data file. Exits 1 at the first thing found wrong.

                EXAMPLES
                  subledger audit verify
                  subledger audit verify --signatures --deep --format json
                """)

        @Flag(help: "Verify every signature again.")
        var signatures = false

        @Flag(help: "Walk every page of the data file.")
        var deep = false

        @Option(name: .customLong("trust-root"), help: "A root certificate to trust besides Apple's (repeatable).")
        var trustRoots: [String] = []

        @Flag(help: .hidden)
        var supervised = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let started = SystemClock.now()
            let report = supervised ? try await work() : try supervise()
            guard !supervised else {
                AuditSupervision.send(report)
                return
            }
            let seconds = Double(SystemClock.now().milliseconds - started.milliseconds) / 1_000
            Terminal.standardOutput.write(AuditAnswer(report: report, seconds: seconds).text(output.effectiveFormat))
            if report.firstBad != nil { throw ExitCode(CommandFailure.refused) }
        }

        /// The walk itself, in the child: liblmdb may crash on a damaged file, and that is then an answer.
        private func work() async throws -> AuditReport {
            let configuration = try ledger.configuration()
            var options = LedgerAudit.Options()
            options.deep = deep
            if signatures {
                var trust = TrustPolicy(environments: Set(Environment.known))
                trust.configuredRoots =
                    trustRoots.isEmpty ? configuration.trust.configuredRoots : try TrustOptions.roots(trustRoots)
                options.signatures = trust
            }
            return try await LedgerAudit(configuration, options).run(progress: AuditSupervision.send)
        }

        private func supervise() throws -> AuditReport {
            let folder = try ledger.folder
            guard folder.exists else {
                throw EventLogError(
                    .ioError, "there is no ledger at \(folder.path)", expected: "a data folder", found: "none")
            }
            let showsProgress = output.showsProgress
            return try AuditSupervision.run(arguments: Array(CommandLine.arguments.dropFirst()) + ["--supervised"]) {
                if showsProgress { Terminal.standardError.write("\r\($0) events ") }
            }
        }
    }

    struct SignedCheckpoint: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "checkpoint", abstract: "The signed checkpoint of the log as it is.",
            discussion: """
                EXAMPLES
                  subledger audit checkpoint > checkpoint
                """)

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            Terminal.standardOutput.write(try ledger.reading().signedCheckpoint().bytes)
        }
    }

    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The key that signs checkpoints.", subcommands: [Init.self, Show.self])

        struct Init: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "init",
                abstract: "Make the ledger and its key, when there is none, and print the public key.")

            @OptionGroup var ledger: LedgerOptions

            func run() throws {
                let opened = try Ledger(writing: try ledger.configuration())
                defer { opened.close() }
                Terminal.standardOutput.write(try opened.checkpointVerifier().text + "\n")
            }
        }

        struct Show: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "The public key, as a verifier of signed notes takes it.")

            @OptionGroup var ledger: LedgerOptions

            func run() throws {
                Terminal.standardOutput.write(try ledger.reading().checkpointVerifier().text + "\n")
            }
        }
    }
}

/// What `audit verify` answers.
struct AuditAnswer {
    let report: AuditReport
    let seconds: Double

    func text(_ format: OutputFormat) -> String {
        switch format {
        case .json: json.serialized() + "\n"
        case .table: table
        }
    }

    private var json: JSONValue {
        let firstBad: JSONValue =
            switch report.firstBad {
            case nil: .null
            case .event(let position, let what):
                .object(["position": .integer(Int64(position)), "what": .string(what)])
            case .structure(let what): .object(["structure": .string(what)])
            }
        return .object([
            "ok": .bool(report.firstBad == nil), "events": .integer(Int64(report.events)),
            "signatures": .integer(Int64(report.signatures)), "seconds": .double(seconds), "firstBad": firstBad,
        ])
    }

    private var table: String {
        let counts = "\(report.events) events, \(report.signatures) signatures, \(seconds) s"
        switch report.firstBad {
        case nil: return "ok  \(counts)\n"
        case .event(let position, let what):
            let hint = what.hasPrefix("\(RefusalCode.chainUntrusted):") ? ". \(TrustOptions.rootHint)" : ""
            return "FAIL  position \(position): \(what)\(hint)  (\(counts))\n"
        case .structure(let what): return "FAIL structure  \(what)  (\(counts))\n"
        }
    }
}
