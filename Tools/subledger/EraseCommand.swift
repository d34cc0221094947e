import ArgumentParser
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger

extension CustomerCommand {
    struct Report: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all that is held on a customer, to be handed to the person.",
            discussion: """
                JSON has the ids, the state, the links, merges, grants and the consent, every transaction, and every event \
                with its evidence. Evidence that also concerns another customer is left out; the person's own parts of it \
                are there. The id may also be an appAccountToken or a handle.

                EXAMPLES
                  subledger customer report alice --format json > alice.json
                """)

        @Argument(help: "The customer id in your system.")
        var id: String

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let report = try ledger.reading().report(on: id)
            switch output.effectiveFormat {
            case .json: Terminal.standardOutput.write(report.json.serialized() + "\n")
            case .table: Terminal.standardOutput.write(Self.text(of: report))
            }
        }

        private static func text(of report: CustomerReport) -> String {
            var text = "Everything held on \(report.id), at \(report.writtenAt.iso8601)\n"
            let names = [
                ("ids", report.ids), ("appAccountTokens", report.appAccountTokens),
                ("handles", [report.handle].compactMap(\.self) + report.mergedHandles),
            ]
            for (name, values) in names { text += "\(name): \(values.isEmpty ? "-" : values.joined(separator: " "))\n" }
            for state in report.states {
                guard let customer = state[member: "customer"] else { continue }
                text += section("Subscriptions", customer.elements(of: "subscriptions"), StateCommand.columns)
            }
            text += section(
                "Transactions", report.transactions,
                ["transactionId", "originalTransactionId", "productId", "purchaseDate", "expiresDate", "price"])
            for (name, rows) in [("Links", report.links), ("Merges", report.merges), ("Grants", report.grants)] {
                text += section(name, rows, ["position", "recordedAt", "kind", "body"])
            }
            if report.consumptionConsent != .null {
                text += section("Consent", [report.consumptionConsent], ["position", "recordedAt", "body"])
            }
            return text
                + section("Events", report.events, ["position", "recordedAt", "kind", "source", "about", "evidence"])
                + "The JSON form has the signed data itself.\n"
        }

        private static func section(_ title: String, _ rows: [JSONValue], _ columns: [String]) -> String {
            rows.isEmpty ? "" : "\n\(title)\n" + AnswerTable.table(rows, columns)
        }
    }

    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a customer: the ids and links, and with --with-evidence the signed data.",
            discussion: """
                Appends an event and rewrites the vault without the customer. The customer's id is unknown afterwards. \
                Subscriptions, sums and proofs stay.

                --with-evidence also erases the signed data about the person, and rewrites the log without it. The facts \
                stay, without the appAccountToken and with a random appTransactionId. The ledger copies its files and \
                needs room for that. Meanwhile a running service answers reads, and refuses writes with 503.

                Backups and exports are copies: delete them yourself.

                EXAMPLES
                  subledger customer report alice --format json > alice.json
                  subledger customer erase alice --with-evidence
                """)

        @Argument(help: "The customer id in your system, an appAccountToken, or a handle.")
        var id: String

        @Flag(help: "Also erase the signed data about the person.")
        var withEvidence = false

        @OptionGroup var ledger: LedgerOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try ledger.folder.requireExists()
            let access = try LedgerAccess(try ledger.configuration())
            defer { access.close() }
            let bar = output.showsProgress ? ShareProgressBar("erasing") : nil
            defer { bar?.clear() }
            let answer = try await access.erase(ErasureRequest(id: id, withEvidence: withEvidence)) { bar?.show($0) }
            bar?.clear()
            switch output.effectiveFormat {
            case .json: Terminal.standardOutput.write(answer.serialized() + "\n")
            case .table: Terminal.standardOutput.write(Self.text(of: answer))
            }
        }

        private static func text(of answer: JSONValue) -> String {
            guard answer[member: "erased"] == .bool(true) else {
                return "nothing is held on this id; it was erased before, or was never known\n"
            }
            return AnswerTable.members(of: answer)
        }
    }
}
