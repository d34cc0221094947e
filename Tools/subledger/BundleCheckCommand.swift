import ArgumentParser
import LedgerStorage
import Primitives
import SubscriptionLedger
import TransparencyLog

struct BundleCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a bundle without its ledger.",
        discussion: """
            Get both keys from another channel than the bundle (check 1). Stops at the first check that fails, names the \
            first bad file, and exits with status 1. Signatures are checked at their dates, so a bundle stays valid when \
            certificates expire.

            EXAMPLES
              subledger audit check alice.zip --log-key "$LOG_VKEY" --bundle-key "$BUNDLE_VKEY"
              subledger audit check alice.zip --log-key "$LOG_VKEY" --bundle-key "$BUNDLE_VKEY" \\
                --witness "$WITNESS_VKEY" --tsa-root tsa-root.pem
            """)

    @Argument(help: "The bundle.")
    var bundle: String

    @Option(name: .customLong("log-key"), help: "Public key of the log.")
    var logKey: String

    @Option(name: .customLong("bundle-key"), help: "Public key of the log's bundles.")
    var bundleKey: String

    @Option(help: "Public key of a witness that must have cosigned the checkpoint (repeatable).")
    var witness: [String] = []

    @Option(
        name: .customLong("tsa-root"),
        help: "Root certificates (PEM) of time stamp authorities (default: those in the bundle).")
    var tsaRoot: String?

    @Option(name: .customLong("trust-root"), help: "Root certificate to trust besides Apple's (repeatable).")
    var trustRoots: [String] = []

    @OptionGroup var output: OutputOptions

    func run() async throws {
        var trust = BundleCheck.Trust(
            logKey: try NoteVerifier(text: logKey), bundleKey: try NoteVerifier(text: bundleKey))
        trust.witnesses = try witness.map { try WitnessVerifier(text: $0) }
        trust.roots = try TrustOptions.roots(trustRoots)
        if let tsaRoot { try trust.trustTimeStamps(under: AnchorCommand.bytes(of: tsaRoot)) }
        var check = try BundleCheck(bundle, trust)
        let report = try await check.run()
        switch output.effectiveFormat {
        case .json: Terminal.standardOutput.write(report.json.serialized() + "\n")
        case .table: Terminal.standardOutput.write(Self.table(of: report))
        }
        if !report.isSound { throw ExitCode(CommandFailure.refused) }
    }

    private static func table(of report: BundleReport) -> String {
        var columns = TextColumns()
        let rows = report.rows.map { row in
            ["\(row.number)", row.outcome.rawValue, row.name, row.note ?? "", row.proves, row.doesNotProve]
        }
        return columns.text(of: [["", "result", "check", "found", "proves", "does not prove"]] + rows)
    }
}
