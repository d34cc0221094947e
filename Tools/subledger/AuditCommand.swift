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
                Hashes every record, its evidence and the tree again. Works on a read-only copy and beside a running \
                service: the size of the log is fixed first. Stops at the first damaged item and exits with status 1.

                --signatures verifies every signature again, at its own time. Artifacts that rest on a root of yours \
                need it: --trust-root. Without it nothing is wrong, but the audit exits with status 1 and names it.
                --deep walks every page of the data files, decodes every fact again, rebuilds every timeline, and \
                compares them and the duplicate index, the transitions and the quarantine with what is stored. Stored \
                data that is behind the log is named, and is no fault.
                --answers lists every status signed by Apple that differs from the ledger's answer for that instant. \
                Differences do not change the exit status.
                Anchors are verified at the time that they stamp, under the roots in the data folder. An auditor names \
                roots of another origin with --tsa-root.

                EXAMPLES
                  subledger audit verify
                  subledger audit verify --signatures --trust-root root.der
                  subledger audit verify --signatures --deep --format json
                  subledger audit verify --answers
                  subledger audit verify --tsa-root tsa-root.pem
                """)

        @Flag(help: "Verify every signature again.")
        var signatures = false

        @Flag(help: "List the statuses signed by Apple that differ from the ledger's answers.")
        var answers = false

        @Flag(help: "Walk every page, and compare derived data with the log.")
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
            var answer = AuditAnswer(report: report, disagreements: disagreements, seconds: seconds)
            answer.omitted =
                (signatures ? [] : ["signatures (--signatures)"]) + (deep ? [] : ["pages and derived data (--deep)"])
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
            let bar = output.showsProgress ? AuditProgressBar() : nil
            defer { bar?.clear() }
            return try AuditSupervision.run(arguments: Array(CommandLine.arguments.dropFirst()) + ["--supervised"]) {
                bar?.show($0)
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
