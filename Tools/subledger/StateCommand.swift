import ArgumentParser
import LedgerAPI
import Primitives
import SubscriptionLedger

struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Show subscription state at an instant.",
        discussion: """
            EXAMPLES
              subledger state --subscription 2000000123456789
              subledger state --subscription 2000000123456789 --as-of 2026-03-01 --known-at 12000 --format json
              subledger state --customer alice --rules rules.yaml
            """
    )

    @OptionGroup var question: QuestionOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: RowOutputOptions

    func run() throws {
        try question.requireSelector()
        let opened = try ledger.reading()
        let asked = try question.question(to: opened)
        let answer = try question.answer {
            try opened.state(of: $0, asked)?.json
        } ofCustomer: {
            try opened.state(ofCustomer: $0, asked, scope: $1).json
        }
        AnswerTable.print(
            answer, rows: "subscriptions", columns: Self.columns, format: output.effectiveFormat)
    }

    /// The columns of a table.
    static let columns = [
        "originalTransactionId", "productId", "entitled", "status", "reason", "accessUntil", "expiresAt", "willRenew",
        "nextStep", "inferred",
    ]
}
