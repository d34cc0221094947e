import AppStoreModel
import AppStoreVerification
import FactStore
import FoundationEssentials
import Ingestion
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

/// The answers in the fixtures. Their signed parts were replaced before they were published, so each is refused.
@Suite(.enabled(if: TestEnvironment.fixtures != nil, "the folder of fixtures is absent"))
struct `Recorded answers of the Server API in a ledger` {
    struct Answer: CustomTestStringConvertible, Sendable {
        let file: String
        let endpoint: ServerAPIEndpoint
        var environment = Environment.production
        /// The signed parts.
        var parts: [String] = []

        var testDescription: String { file }
    }

    private static let answers = [
        Answer(file: "transactionInfoResponse", endpoint: .transactionInfo, parts: ["signedTransactionInfo"]),
        Answer(file: "aporat-appTransactionResponse", endpoint: .transactionInfo, parts: ["signedTransactionInfo"]),
        Answer(
            file: "transactionHistoryResponse", endpoint: .transactionHistory, environment: .localTesting,
            parts: ["signedTransactions[0]", "signedTransactions[1]"]),
        Answer(
            file: "getAllSubscriptionStatusesResponse", endpoint: .subscriptionStatuses, environment: .localTesting,
            parts: [
                "data[0].lastTransactions[0].signedTransactionInfo", "data[0].lastTransactions[0].signedRenewalInfo",
                "data[0].lastTransactions[1].signedTransactionInfo", "data[0].lastTransactions[1].signedRenewalInfo",
                "data[1].lastTransactions[0].signedTransactionInfo", "data[1].lastTransactions[0].signedRenewalInfo",
            ]),
        Answer(file: "yaglo-status-120", endpoint: .subscriptionStatuses, environment: .sandbox),
        Answer(file: "yaglo-status-482", endpoint: .subscriptionStatuses, environment: .sandbox),
        Answer(
            file: "lookupOrderIdResponse", endpoint: .lookUpOrder,
            parts: ["signedTransactions[0]", "signedTransactions[1]"]),
        Answer(file: "apiException", endpoint: .transactionInfo),
        Answer(file: "appTransactionDoesNotExistError", endpoint: .appTransactionInfo),
        Answer(file: "familyTransactionNotSupportedError", endpoint: .setAppAccountToken),
        Answer(file: "invalidAppAccountTokenUUIDError", endpoint: .setAppAccountToken),
        Answer(file: "invalidTransactionIdError", endpoint: .transactionInfo),
        Answer(file: "transactionIdNotFoundError", endpoint: .transactionInfo),
    ]

    @Test(arguments: answers) func `are events without facts, each part refused by itself`(answer: Answer) async throws
    {
        let folder = try #require(TestEnvironment.fixtures)
        let bytes = Array(try Data(contentsOf: URL(filePath: "\(folder)/server-api/\(answer.file).json")))
        let scratch = try ScratchLedger(trust: TrustPolicy())
        let question = ServerAPIQuestion(
            answer.endpoint, target: "/\(answer.file)", bundleId: "com.example", environment: answer.environment)
        let outcome = try await scratch.ledger.record(bytes, to: question, source: .poll)
        guard case .recorded(let result, let refused) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(result.isAppended && refused.map(\.part) == answer.parts)
        #expect(refused.allSatisfy { $0.code == .jwsMalformed })
        #expect(try scratch.evidence() == [bytes])
        #expect(try scratch.ledger.reader.facts.snapshot().keys(in: 0..<1).isEmpty)
    }
}
