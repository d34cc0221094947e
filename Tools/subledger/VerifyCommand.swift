import AppStoreVerification
import ArgumentParser
import Ingestion
import Primitives
import SubscriptionLedger

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify App Store data and print its contents.",
        discussion: """
            Verifies signatures, certificate chains and claims. Reads .json notification bodies and answers of the App \
            Store Server API or verifyReceipt, .jws and .txt files with one JWS, .b64 and .der receipts, and .ndjson \
            or .jsonl archives with one artifact per line. Prints one line per artifact. An answer, and a notification \
            of version 1, also prints a line with "authenticated": false for its unsigned data. Exits with status 1 if \
            an artifact was refused.

            EXAMPLES
              subledger verify notification.json --bundle-id com.example.app --environment Sandbox
              subledger verify archive.ndjson --format json | jq 'select(.ok | not)'
              subledger verify receipt.b64 --bundle-id com.example.app --device-guid 112233445566778899aabbccddeeff00
            """
    )

    @Argument(help: "Files to verify; - reads an archive from standard input.")
    var files: [String]

    @Option(
        help: """
            Artifact kind: auto, notification, transaction, renewal-info, app-transaction, receipt, notification-v1, \
            server-api or verify-receipt.
            """
    )
    var kind: KindOption = .auto

    @Option(name: .customLong("at"), help: "Verification instant for payloads without a signing time (default: now).")
    var fallbackTime: Instant?

    @Option(
        name: .customLong("device-guid"),
        help: "Device that a receipt must be of: identifierForVendor, on macOS the network address, in hexadecimal.")
    var deviceGUID: DeviceGUID?

    @Option(name: .customLong("app-version"), help: "Version of the app. A receipt of another version gets a warning.")
    var applicationVersion: String?

    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let verifier = SignedDataVerifier(trust: try trust.policy())
        let report = VerifyReport(format: output.effectiveFormat)
        var refused = 0
        for file in files {
            try await ArtifactFiles.forEach(in: file, .partsOnly, unsigned: report.line) { found in
                let result = await verify(found, with: verifier)
                switch result {
                case .success(let artifact): report.line(for: found.file, artifact)
                case .failure(let refusal):
                    report.line(for: found.file, kind: kind.artifactKind ?? found.claimedKind, refusal)
                    refused += 1
                }
            }
        }
        if refused > 0 { throw ExitCode(CommandFailure.refused) }
    }

    private func verify(
        _ found: FoundArtifact, with verifier: SignedDataVerifier
    ) async -> Result<SignedArtifact, Refusal> {
        switch found.content {
        case .failure(let refusal): .failure(refusal)
        case .success(let content):
            await verifier.verify(
                content.artifact, as: kind.artifactKind ?? content.kind, now: SystemClock.now(),
                fallbackTime: fallbackTime,
                device: ReceiptDevice(guid: deviceGUID?.bytes, applicationVersion: applicationVersion))
        }
    }
}

enum KindOption: String, ExpressibleByArgument, CaseIterable {
    case auto
    case notification
    case transaction
    case renewalInfo = "renewal-info"
    case appTransaction = "app-transaction"
    case receipt
    /// The parts of an answer are of their own kinds.
    case serverAPI = "server-api"
    case verifyReceipt = "verify-receipt"
    case notificationV1 = "notification-v1"

    var artifactKind: ArtifactKind? { ArtifactKind(rawValue: rawValue) }
}

/// The identifier of a device that receipts are made for.
struct DeviceGUID: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        guard let bytes = ReceiptDevice.guid(argument) else { return nil }
        self.bytes = bytes
    }
}
