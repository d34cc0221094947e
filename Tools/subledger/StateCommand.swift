import ArgumentParser
import Primitives
import SubscriptionLedger

struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "What a subscription is at an instant, as known at a log size, and on what evidence.",
        discussion: """
            EXAMPLES
              subledger state --subscription 2000000123456789
              subledger state --subscription 2000000123456789 --as-of 2026-03-01 --known-at 12000 --format json
            """
    )

    @OptionGroup var question: QuestionOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        guard let answer = try ledger.reading().state(of: question.selector, question.question) else {
            throw CommandFailure.unknownSubscription(question.originalTransactionId)
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

extension CommandFailure {
    static func unknownSubscription(_ id: String) -> CommandFailure {
        CommandFailure(
            code: "subscription_unknown", message: "nothing is known of subscription \(id)",
            expected: "an originalTransactionId that was observed", found: "no observation",
            hint: "`subledger log stat` says what the ledger holds.", exitCode: refused)
    }
}
