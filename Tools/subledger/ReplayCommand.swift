import ArgumentParser
import LedgerAPI
import Primitives
import SubscriptionLedger

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show the state after each event, as the ledger answered then.",
        discussion: """
            Each row is the state of a subscription when its event had been recorded, as of that time, under the rules \
            that were active then. changed names the members of the state that differ from the row before.

            EXAMPLES
              subledger replay --subscription 2000000123456789
              subledger replay --customer alice --format csv
              subledger replay --from 1200 --to 1300 --format json
            """)

    @Option(name: .customLong("subscription"), help: "The originalTransactionId of the subscription.")
    var originalTransactionId: String?

    @Option(help: "The customer id in your system.")
    var customer: String?

    @Option(help: "First position of a range of events.")
    var from: UInt64?

    @Option(help: "First position after the range (default: the size of the log).")
    var to: UInt64?

    @OptionGroup var scope: ScopeOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: RowOutputOptions

    func validate() throws {
        guard [originalTransactionId != nil, customer != nil, from != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --subscription, --customer and --from")
        }
        guard from.map({ $0 <= to ?? .max }) ?? (to == nil) else {
            throw ValidationError("--to requires --from, and is not below it")
        }
    }

    func run() throws {
        let opened = try ledger.reading()
        let answer: ReplayAnswer
        if let customer {
            answer = try opened.replay(ofCustomer: customer, scope: scope.customerScope)
        } else if let from {
            let isScoped = scope.environment != nil || scope.bundleId != nil
            answer = try opened.replay(in: from..<(to ?? .max), scope: isScoped ? scope.customerScope : nil)
        } else {
            let id = originalTransactionId ?? ""
            guard let found = try opened.replay(of: scope.selector(id)) else {
                throw CommandFailure(
                    code: "subscription_unknown", message: "subscription not found: \(id)",
                    exitCode: CommandFailure.refused)
            }
            answer = found
        }
        print(answer)
    }

    private func print(_ answer: ReplayAnswer) {
        switch output.effectiveFormat {
        case .json: Terminal.standardOutput.write(answer.json.serialized() + "\n")
        case .csv: Terminal.standardOutput.write(CSVTable(answer.json.elements(of: "rows")).text)
        case .table:
            let rows = answer.json.elements(of: "rows").map { row in
                let state = ["status", "entitled", "expiresAt", "willRenew"].map { name in
                    JSONValue.Member(name, row[member: "state"]?[member: name] ?? .null)
                }
                guard case .object(let members) = row else { return row }
                return .object(members + state)
            }
            Terminal.standardOutput.write(AnswerTable.table(rows, Self.columns))
        }
    }

    private static let columns = [
        "position", "recordedAt", "kind", "notificationType", "originalTransactionId", "status", "entitled",
        "expiresAt", "willRenew", "changed",
    ]
}
