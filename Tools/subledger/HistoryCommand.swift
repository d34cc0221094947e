import ArgumentParser
import Primitives
import SubscriptionLedger

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Every change of a subscription up to an instant, with its cause.",
        discussion: """
            EXAMPLES
              subledger history --subscription 2000000123456789 --explain
              subledger history --subscription 2000000123456789 --as-of 2026-03-01 --format json
            """
    )

    @Flag(help: "Add the rule behind each change, and its words.")
    var explain = false

    @OptionGroup var question: QuestionOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let opened = try ledger.reading()
        guard let answer = try opened.history(of: question.selector, question.question, explained: explain) else {
            throw CommandFailure.unknownSubscription(question.originalTransactionId)
        }
        AnswerTable.print(
            answer, rows: "subscriptions", nested: "transitions",
            columns: ["at", "from", "to", "cause", "productId", "expiresAt", "reason"] + (explain ? ["words"] : []),
            format: output.effectiveFormat)
    }
}
