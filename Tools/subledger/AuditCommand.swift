import AppStoreModel
import AppStoreVerification
import ArgumentParser
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger
import TransparencyLog

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Verify the log, prove what is in it, and write bundles for auditors.",
        subcommands: [
            Verify.self, SignedCheckpoint.self, Prove.self, Consistency.self, Cosign.self, AnchorCommand.self,
            Publish.self, BundleCommand.self, BundleCheckCommand.self, Key.self,
        ])

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Verify records, hashes, evidence, the Merkle tree and anchors.",
            discussion: """
                Anchors are verified at the time that they stamp, under the roots in the data folder. An auditor names \
                roots of another origin with --tsa-root. --signatures also verifies every signature again. --deep also walks every page of the data file. Stops at \
                the first damaged item and exits with status 1. --answers lists every status signed by Apple that \
                differs from the ledger's answer for that instant. Differences do not change the exit status.

                EXAMPLES
                  subledger audit verify
                  subledger audit verify --signatures --deep --format json
                  subledger audit verify --answers
                  subledger audit verify --tsa-root tsa-root.pem
                """)

        @Flag(help: "Verify every signature again.")
        var signatures = false

        @Flag(help: "List the statuses signed by Apple that differ from the ledger's answers.")
        var answers = false

        @Flag(help: "Walk every page of the data file.")
        var deep = false

        @Option(name: .customLong("trust-root"), help: "Root certificate to trust besides Apple's (repeatable).")
        var trustRoots: [String] = []

        @Option(
            name: .customLong("tsa-root"), help: "Root certificates (PEM) of time stamp authorities to trust alone.")
        var tsaRoot: String?

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
            let disagreements = answers && report.firstBad == nil ? try compareAnswers() : nil
            let seconds = SystemClock.seconds(since: started)
            let answer = AuditAnswer(report: report, disagreements: disagreements, seconds: seconds)
            Terminal.standardOutput.write(answer.text(output.effectiveFormat))
            if report.firstBad != nil { throw ExitCode(CommandFailure.refused) }
        }

        /// Audits the log in the child process. liblmdb may crash on a damaged file; the parent reports the crash.
        private func work() async throws -> AuditReport {
            let configuration = try ledger.configuration()
            var options = LedgerAudit.Options()
            options.deep = deep
            if let tsaRoot { try options.trustTimeStamps(under: AnchorCommand.bytes(of: tsaRoot)) }
            if signatures {
                var trust = TrustPolicy(environments: Set(Environment.known))
                trust.configuredRoots =
                    trustRoots.isEmpty ? configuration.trust.configuredRoots : try TrustOptions.roots(trustRoots)
                options.signatures = trust
            }
            return try await LedgerAudit(configuration, options).run(progress: AuditSupervision.send)
        }

        private func compareAnswers() throws -> [DisagreementRow] {
            let showsProgress = output.showsProgress
            return try ledger.reading().disagreements { position in
                if showsProgress { Terminal.standardError.write("\r\(position) events compared ") }
            }
        }

        private func supervise() throws -> AuditReport {
            try ledger.folder.requireExists()
            let showsProgress = output.showsProgress
            return try AuditSupervision.run(arguments: Array(CommandLine.arguments.dropFirst()) + ["--supervised"]) {
                if showsProgress { Terminal.standardError.write("\r\($0) events ") }
            }
        }
    }

    struct SignedCheckpoint: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "checkpoint", abstract: "Print a signed checkpoint of the current log.",
            discussion: """
                Cosignatures of witnesses that are kept for this size are included (`subledger audit cosign`).

                EXAMPLES
                  subledger audit checkpoint > checkpoint
                  subledger audit checkpoint --cosigned
                """)

        @Flag(help: "Print the newest checkpoint that a witness has cosigned.")
        var cosigned = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let opened = try ledger.reading()
            guard cosigned else { return Terminal.standardOutput.write(try opened.checkpointNote().bytes) }
            guard let note = try opened.newestCosignedNote() else {
                throw CommandFailure(
                    code: "witness_unknown", message: "no witness has cosigned a checkpoint",
                    hint: "See `subledger audit cosign --help`.", exitCode: CommandFailure.refused)
            }
            Terminal.standardOutput.write(note.bytes)
        }
    }

    struct Key: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Manage the key that signs checkpoints.", subcommands: [Init.self, Show.self])

        struct Init: ParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "init",
                abstract: "Create the ledger and its key if missing and print the public key.")

            @OptionGroup var ledger: LedgerOptions

            func run() throws {
                do {
                    try LedgerWriter(try ledger.configuration()).close()
                } catch let error as StorageError where error.code == .locked {
                    // The process that holds the lock has made the key.
                }
                Terminal.standardOutput.write(try ledger.reading().checkpointVerifier().text + "\n")
            }
        }

        struct Show: ParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Print the public keys of the log and of its bundles, as signed-note verifier keys.")

            @OptionGroup var ledger: LedgerOptions

            func run() throws {
                let opened = try ledger.reading()
                Terminal.standardOutput.write(try opened.checkpointVerifier().text + "\n")
                Terminal.standardOutput.write(try opened.bundleVerifier().text + "\n")
            }
        }
    }
}

/// The output of `audit verify`.
struct AuditAnswer {
    let report: AuditReport
    /// The disagreements; nil unless they were requested and the log is undamaged.
    let disagreements: [DisagreementRow]?
    let seconds: Double

    func text(_ format: OutputFormat) -> String {
        switch format {
        case .json: json.serialized() + "\n"
        case .table: table
        }
    }

    private var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("ok", .bool(report.firstBad == nil)), .init("events", .integer(Int64(report.events))),
            .init("signatures", .integer(Int64(report.signatures))), .init("anchors", .integer(Int64(report.anchors))),
            .init("seconds", .double(seconds)),
            .init("firstBad", report.firstBad?.json ?? .null),
        ]
        if let disagreements { members.append(.init("disagreements", disagreements.json)) }
        return .object(members)
    }

    private var disagreementTable: String {
        guard let disagreements else { return "" }
        guard !disagreements.isEmpty else { return "all signed statuses agree\n" }
        let columns = ["originalTransactionId", "environment", "signedDate", "position", "signed", "folded"]
        return "\(disagreements.count) signed statuses differ\n"
            + AnswerTable.table(disagreements.map(\.json), columns)
    }

    private var table: String {
        let counts = "\(report.events) events, \(report.signatures) signatures, \(report.anchors) anchors, \(seconds) s"
        switch report.firstBad {
        case nil: return "ok  \(counts)\n" + disagreementTable
        case .event(let position, let what):
            let hint = what.hasPrefix("\(RefusalCode.chainUntrusted):") ? ". \(TrustOptions.rootHint)" : ""
            return "FAIL  position \(position): \(what)\(hint)  (\(counts))\n"
        case .structure(let what): return "FAIL structure  \(what)  (\(counts))\n"
        }
    }
}
