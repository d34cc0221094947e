import ArgumentParser
import LedgerAPI
import LedgerConfiguration
import Primitives
import SubscriptionLedger

struct OffersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offers",
        abstract: "Show which introductory offers a customer may get, and why.",
        discussion: """
            Apple signs no such eligibility. The answer follows from the purchases of the customer's Apple accounts in the \
            ledger. Products, groups and the charges of an offer come from the catalogue.

            EXAMPLES
              subledger offers --customer alice
              subledger offers --customer alice --product pro.monthly --as-of 2026-03-01 --format json
            """)

    @Option(help: "The customer id in your system.")
    var customer: String

    @Option(help: "The only product to show (default: those of the catalogue, and those that the customer bought).")
    var product: String?

    @OptionGroup var scope: ScopeOptions
    @OptionGroup var instants: InstantOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var output: RowOutputOptions

    func run() throws {
        let opened = try ledger.reading()
        let answer = try opened.offers(
            forCustomer: customer, product: product, try instants.question(to: opened), scope: scope.customerScope)
        AnswerTable.print(
            answer.json, rows: "offers", columns: ["productId", "group", "eligible", "reason", "explanation"],
            format: output.effectiveFormat)
    }
}
