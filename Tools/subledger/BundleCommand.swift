import AppStoreModel
import ArgumentParser
import LedgerConfiguration
import LedgerModel
import LedgerStorage
import PaidService
import Primitives
import SubscriptionLedger

struct BundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Write an answer with its evidence and proofs to a ZIP file that a stranger can check.",
        discussion: """
            The file has the answer, the events that it was read from, their evidence and certificates, and the proofs \
            that they are in the log. Its README.md has the checks as commands. `subledger audit check` does them all.

            A bundle is personal data: evidence has what Apple signed about purchases. Pages of Apple's that also concern \
            others are included without these parts, unless --with-others is given. Customers are named by handles.

            The same question with the same --as-of and --known-at gives the same bytes, with the same anchors and \
            cosignatures.

            EXAMPLES
              subledger audit bundle --customer alice --output alice.zip
              subledger audit bundle --subscription 2000000123456789 --as-of 2026-03-01 --known-at 12000 --output s.zip
              subledger audit bundle --transaction 2000000123456790 --output t.zip
              subledger audit bundle --cell 2026-01,3 --sample 20 --output cell.zip
              subledger audit bundle --close 2026-Q3 --output q3.zip
            """)

    @Option(help: "The customer id in your system, or a handle.")
    var customer: String?

    @Option(name: .customLong("subscription"), help: "The originalTransactionId of a subscription.")
    var originalTransactionId: String?

    @Option(help: "The id of a transaction. Reads the whole log unless it is the first of its subscription.")
    var transaction: String?

    @Option(help: "A cell of `cohorts`: COHORT,K.")
    var cell: String?

    @Option(help: "The name of a close, or NAME@VERSION.")
    var close: String?

    @Option(help: "The file to write.")
    var output: String

    @Option(help: "An answer that somebody was given, as JSON, to be compared.")
    var answer: String?

    @Option(help: "Of a cell, include the events of this many members, chosen by the root of the log.")
    var sample: Int?

    @Flag(name: .customLong("with-others"), help: "Include evidence that also concerns other customers.")
    var withOthers = false

    @Flag(name: .customLong("with-customer-id"), help: "Include the customer id.")
    var withCustomerId = false

    @Option(help: "Definition of retention of a cell (default: that of the rules).")
    var definition: String?

    @Option(help: "Time zone of a cell (default: that of the rules).")
    var zone: String?

    @OptionGroup var division: DivisionOptions
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var instants: InstantOptions
    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var format: OutputOptions

    func validate() throws {
        let subjects = [customer, originalTransactionId, transaction, cell, close].compactMap { $0 }
        guard subjects.count == 1 else {
            throw ValidationError("Give one of --customer, --subscription, --transaction, --cell and --close")
        }
        guard cell != nil || (sample == nil && definition == nil && zone == nil && division.cut == nil) else {
            throw ValidationError("--sample, --definition, --zone and --cut apply only to a cell")
        }
        if let sample, sample < 1 { throw ValidationError("--sample takes a number of members, from 1 on") }
        guard customer != nil || !withCustomerId else {
            throw ValidationError("--with-customer-id applies only to a customer")
        }
    }

    func run() throws {
        let opened = try ledger.reading()
        var request = BundleRequest(try subject(), try instants.question(to: opened))
        (request.environment, request.bundleId) = (scope.environment, scope.bundleId)
        (request.withOthers, request.withCustomerId) = (withOthers, withCustomerId)
        request.sample = sample
        request.given = try answer.map(AnchorCommand.bytes)
        let written = try opened.writeBundle(request, to: output)
        switch format.effectiveFormat {
        case .json: Terminal.standardOutput.write(written.json.serialized() + "\n")
        case .table: Terminal.standardOutput.write(AnswerTable.members(of: written.json))
        }
    }

    private func subject() throws -> BundleSubject {
        if let customer { return .customer(customer) }
        if let originalTransactionId { return .subscription(originalTransactionId: originalTransactionId) }
        if let transaction { return .transaction(id: transaction) }
        if let close { return .close(name: close) }
        guard let name = CohortCellName(cell ?? "") else {
            throw CommandFailure(usage: "--cell takes \(CohortCellName.form)")
        }
        return .cell(
            BundleCell(
                name, by: try BucketCalendar.Interval(named: division.by), cuts: try division.cuts(),
                definition: try definition.map { try Rules.Retention.Definition(named: $0) }, zone: zone))
    }
}
