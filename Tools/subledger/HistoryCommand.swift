import ArgumentParser
import Primitives
import SubscriptionLedger

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Every change of status, product, renewal or access up to an instant, with its cause.",
        discussion: """
            Of a subscription, or of all of a customer's. What changes none of these four, as a renewal in time, is \
            no row.

            EXAMPLES
              subledger history --subscription 2000000123456789 --explain
              subledger history --subscription 2000000123456789 --as-of 2026-03-01 --format json
              subledger history --customer alice
            """
    )

    @Flag(help: "Add the rule behind each change, and its words.")
    var explain = false

    @OptionGroup var question: QuestionOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try question.requireSelector()
        let opened = try ledger.reading()
        let asked = question.question
        let answer = try question.answer {
            try opened.history(of: $0, asked, explained: explain)
        } ofCustomer: {
            try opened.history(ofCustomer: $0, asked, scope: $1, explained: explain)
        }
        AnswerTable.print(
            answer, rows: "subscriptions", nested: "transitions",
            columns: ["at", "from", "to", "access", "willRenew", "cause", "productId", "expiresAt", "reason"]
                + (explain ? ["words"] : []),
            format: output.effectiveFormat)
    }
}
