import AppStoreModel
import AppStoreVerification
import ArgumentParser
import LedgerStorage
import Primitives
import SubscriptionLedger

struct ReceiptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Inspect app receipts.", subcommands: [Inspect.self])

    struct Inspect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inspect",
            abstract: "Print a receipt and verify its signature.",
            discussion: """
                Reads an app receipt, in base64 or DER, or a receipt of one transaction as apps sent it until iOS 6. Shows \
                its attributes and its purchases, also when it is refused. Exits with status 1 if it is refused.

                EXAMPLES
                  subledger receipt inspect receipt.b64
                  subledger receipt inspect receipt.der --bundle-id com.example.app --format json | jq .in_app
                """
        )

        @Argument(help: "File with the receipt.")
        var file: String

        @Option(
            name: .customLong("device-guid"),
            help:
                "Device the receipt must belong to, in hexadecimal: identifierForVendor, or on macOS the network address."
        )
        var deviceGUID: DeviceGUID?

        @OptionGroup var trust: TrustOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let bytes: [UInt8]
            do {
                bytes = try InputFile.bytes(of: file, limit: ReceiptBytes.limit * 2)
            } catch {
                throw CommandFailure(
                    code: "io_error", message: "\(file) cannot be read", found: error.reason,
                    exitCode: CommandFailure.io)
            }
            let content = try ReceiptContent(bytes)
            let verifier = SignedDataVerifier(trust: try trust.policy())
            let result = await verifier.verify(
                bytes, as: .receipt, now: SystemClock.now(), device: ReceiptDevice(guid: deviceGUID?.bytes))
            let report = ReceiptReport(content: content, result: result)
            Terminal.standardOutput.write(
                output.effectiveFormat == .json ? report.json.serialized() + "\n" : report.text)
            if case .failure = result { throw ExitCode(CommandFailure.refused) }
        }
    }
}

/// The output of `receipt inspect`.
struct ReceiptReport {
    let content: ReceiptContent
    let result: Result<SignedArtifact, Refusal>

    var json: JSONValue {
        var members: [JSONValue.Member] = [.init("ok", .bool((try? result.get()) != nil))]
        if case .failure(let refusal) = result {
            members += [.init("code", .string(refusal.code.rawValue)), .init("reason", .string(refusal.reason))]
        }
        switch content {
        case .app(let receipt): members += receipt.members
        case .transaction(let receipt):
            members.append(
                .init("purchase_info", .object(receipt.purchaseInfo.map { .init($0.key, .string($0.value)) })))
        }
        return .object(members)
    }

    var text: String {
        var lines = [verdict]
        switch content {
        case .app(let receipt):
            lines += receipt.attributes.sorted { $0.type.rawValue < $1.type.rawValue }.compactMap(Self.line)
            lines += ["", receipt.inApp.count == 1 ? "1 purchase" : "\(receipt.inApp.count) purchases"]
            var columns = TextColumns()
            return lines.joined(separator: "\n") + "\n" + columns.text(of: Self.table(of: receipt))
        case .transaction(let receipt):
            lines += receipt.purchaseInfo.map { Self.line($0.key, $0.value) }
            return lines.joined(separator: "\n") + "\n"
        }
    }

    private var verdict: String {
        switch result {
        case .success(let artifact):
            let proof = artifact.proof
            let root = proof.isConfiguredRoot ? "a configured root" : "Apple Root CA"
            return "signature valid: chain to \(root), verified at the creation date \(proof.verifiedAt)"
        case .failure(let refusal):
            return "refused: \(refusal.code): \(refusal.reason)" + (refusal.found.map { ", found \($0)" } ?? "")
        }
    }

    /// The attributes without a name are shown by number.
    private static func line(_ attribute: ReceiptAttribute) -> String? {
        let text = attribute.value.text
        return text.isEmpty ? nil : line(attribute.type.name ?? "\(attribute.type.rawValue)", text)
    }

    private static func line(_ name: String, _ value: String) -> String {
        name + String(repeating: " ", count: max(1, 32 - name.count)) + value
    }

    private static func table(of receipt: AppReceipt) -> [[String]] {
        guard !receipt.inApp.isEmpty else { return [] }
        let names: [ReceiptAttributeType] = [
            .transactionId, .originalTransactionId, .productId, .purchaseDate, .expiresDate, .cancellationDate,
            .isTrialPeriod,
        ]
        let rows = receipt.inApp.map { purchase in
            names.map { name in
                let text = purchase.first { $0.type == name }?.value.text ?? ""
                return text.isEmpty ? "-" : text
            }
        }
        return [names.map { $0.name ?? "" }] + rows.sorted { $0[3] < $1[3] }
    }
}
