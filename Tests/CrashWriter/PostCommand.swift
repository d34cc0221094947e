import AppStoreSimulation
import ArgumentParser
import EventLog
import LedgerAPI
import Primitives
import ProjectionRuntime
import SubscriptionLedger

/// Posts a purchase for each of some customers, one after the other, and again when it is refused with a code that says
/// so; after each it applies what is derived, and in the end it asks for all.
///
///     ! CODE      refused, or not applied
///     customers N of whom the ledger knows the purchase
struct PostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "post")

    @Argument(help: "The ledger's folder.")
    var folder: String

    @Option(help: "How many customers there are.")
    var customers: Int

    private static let attempts = 50

    func run() async throws {
        let now = Instant(milliseconds: 1_426_204_800_000)
        var configuration = Ledger.Configuration(folder: DataFolder(path: folder)) { now }
        configuration.trust = Drafts.trust
        let ledger = try Ledger(writing: configuration)
        for customer in 0..<customers { try await post(customer, to: ledger) }
        let known = try (0..<customers).count { customer in
            let answer = try ledger.customer(Self.name(customer), Question(asOf: now)).json.serialized()
            return answer.contains(try Self.originalTransactionId(customer))
        }
        Output.write("customers \(known)\n")
        ledger.close()
    }

    private func post(_ customer: Int, to ledger: Ledger) async throws {
        let posting = TransactionPosting(
            signedTransactions: [try Self.notification(customer).transaction?.text ?? ""],
            customerId: Self.name(customer))
        for _ in 0..<Self.attempts {
            do {
                let outcome = try await ledger.post(posting, by: .backend)
                guard outcome.refused.isEmpty else { throw ValidationError("the purchase was refused") }
                try ledger.derived.apply()
                return
            } catch let error as EventLogError where error.isRetryable {
                Output.write("! \(error.code.rawValue)\n")
            }
        }
        throw ValidationError("customer \(customer) was refused \(Self.attempts) times")
    }

    private static func name(_ customer: Int) -> String { "customer-\(customer)" }

    private static func notification(_ customer: Int) throws -> SignedStoreArtifact {
        let each = BulkNotifications.notificationsPerSubscription
        return BulkNotifications(count: (customer + 1) * each)[customer * each]
    }

    private static func originalTransactionId(_ customer: Int) throws -> String {
        guard let id = try notification(customer).unsigned.originalTransactionId else {
            throw ValidationError("a purchase has an id")
        }
        return "\"\(id)\""
    }
}
