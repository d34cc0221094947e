import AppStoreSimulation
import ArgumentParser
import EventLog
import FactStore
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger

/// Posts a purchase for each customer in turn, and repeats it after a retryable refusal. After each purchase it stores
/// the derived facts; at the end it queries all customers. Output:
///
///     ! CODE      refused, or not stored
///     customers N the number of customers whose purchase is in the ledger
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
        let ledger = try LedgerWriter(configuration)
        for customer in 0..<customers { try await post(customer, to: ledger) }
        let known = try (0..<customers).count { customer in
            let answer = try ledger.reader.customer(Self.name(customer), AsOfQuery(asOf: now)).json.serialized()
            return answer.contains(try Self.originalTransactionId(customer))
        }
        Output.write("customers \(known)\n")
        ledger.close()
    }

    private func post(_ customer: Int, to ledger: LedgerWriter) async throws {
        let posting = TransactionPosting(
            signedTransactions: [try Self.notification(customer).transaction?.text ?? ""],
            customerId: Self.name(customer))
        for _ in 0..<Self.attempts {
            do {
                let outcome = try await ledger.post(posting, by: .backend)
                guard outcome.refused.isEmpty else { throw ValidationError("the purchase was refused") }
                try ledger.reader.facts.store()
                try ledger.log.storeKeys()
                return
            } catch let error as StorageError where error.isRetryable {
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
