import ArgumentParser
import Primitives
import SubscriptionLedger

struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract:
            "What a subscription or a customer's are at an instant, as known at a log size, and on what evidence.",
        discussion: """
            EXAMPLES
              subledger state --subscription 2000000123456789
              subledger state --subscription 2000000123456789 --as-of 2026-03-01 --known-at 12000 --format json
              subledger state --customer alice
            """
    )

    @OptionGroup var question: QuestionOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try question.requireSelector()
        let opened = try ledger.reading()
        let asked = question.question
        let answer = try question.answer {
            try opened.state(of: $0, asked)
        } ofCustomer: {
            try opened.state(ofCustomer: $0, asked, scope: $1)
        }
        AnswerTable.print(
            answer, rows: "subscriptions",
            columns: [
                "environment", "bundleId", "originalTransactionId", "productId", "status", "access", "willRenew",
                "expiresAt",
                "reason", "nextStep",
            ], format: output.effectiveFormat)
    }
}
