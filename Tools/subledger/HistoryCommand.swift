import ArgumentParser
import LedgerAPI
import Primitives
import SubscriptionLedger

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show subscription history up to an instant.",
        discussion: """
            EXAMPLES
              subledger history --subscription 2000000123456789 --explain
              subledger history --subscription 2000000123456789 --as-of 2026-03-01 --format json
              subledger history --customer alice
            """
    )

    @Flag(help: "Add the deciding rule and an explanation to each transition.")
    var explain = false

    @OptionGroup var question: QuestionOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: RowOutputOptions

    func run() throws {
        try question.requireSelector()
        let opened = try ledger.reading()
        let asked = try question.question(to: opened)
        let answer = try question.answer {
            try opened.history(of: $0, asked, explained: explain)?.json
        } ofCustomer: {
            try opened.history(ofCustomer: $0, asked, scope: $1, explained: explain).json
        }
        AnswerTable.print(
            answer, rows: "subscriptions", nested: "transitions",
            columns: ["at", "change", "to", "reason", "access", "willRenew", "cause", "productId", "expiresAt"]
                + (explain ? ["explanation"] : []),
            format: output.effectiveFormat)
    }
}
