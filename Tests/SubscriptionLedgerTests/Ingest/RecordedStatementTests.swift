import AppStoreModel
import AppStoreVerification
import EventLog
import FactStore
import FoundationEssentials
import Ingestion
import LedgerAPI
import LedgerModel
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

/// Real answers of verifyReceipt and notifications of version 1 that an operator vouches for.
@Suite(.enabled(if: TestEnvironment.fixtures != nil, "the folder of fixtures is absent"))
struct `Recorded statements without a signature` {
    /// The answers that no event can be made of: they state no purchases, or name no app or no environment.
    private static let refused: Set<String> = [
        "verify-receipt/nov-invalid.json", "verify-receipt/nov-offline.json", "verify-receipt/nov-sandboxed.json",
        "verify-receipt/swifty-ReceiptResponseSandbox.json",
        "verify-receipt-pairs/griddiary-auto_renewable_receipt-0.json",
        "verify-receipt-pairs/griddiary-invalid_receipt-0.json",
    ]

    private static func document(_ file: String) throws -> JSONDocument {
        let folder = try #require(TestEnvironment.fixtures)
        return try JSONDocument(parsing: Array(#require(FileManager.default.contents(atPath: "\(folder)/\(file)"))))
    }

    private static func files(_ kinds: String...) throws -> [String] {
        try #require(document("MANIFEST.json").root["entries"]?.elements)
            .filter { kinds.contains($0["kind"]?.string ?? "") }.compactMap { $0["file"]?.string }
    }

    /// Ingests a file for its app, in a ledger of its own.
    private static func ingest(
        _ file: String, of bundleId: String?, _ environments: Set<Environment> = [.production, .sandbox]
    ) async throws -> (outcome: IngestOutcome, ledger: ScratchLedger) {
        let trust = TrustPolicy(
            apps: [TrustPolicy.App(bundleId: bundleId ?? "com.example.none")], environments: environments)
        let scratch = try ScratchLedger(trust: trust)
        let found = try #require(
            ArtifactFile.artifacts(in: document(file).bytes, file: file, unsigned: .trusted).first)
        let checked = await scratch.ledger.check(try found.content.get(), source: .file)
        return (try await scratch.ledger.append([checked], source: .file)[0], scratch)
    }

    @Test func `every answer counts with all its purchases and renewals`() async throws {
        var checked = 0
        for file in try Self.files("verifyReceipt-response", "verifyReceipt-pair") {
            guard let answer = VerifyReceiptAnswer(try Self.document(file).root) else { continue }
            // Answers in the style of iOS 6 name no environment.
            let environments: Set<Environment> = answer.environment == nil ? [.sandbox] : [.production, .sandbox]
            let (outcome, scratch) = try await Self.ingest(file, of: answer.bundleId, environments)
            guard case .appended(let result) = outcome else {
                #expect(Self.refused.contains(file), "\(file): \(outcome)")
                continue
            }
            let facts = try scratch.ledger.reader.facts.facts(at: result.position)?.facts?.observations ?? []
            let ids = Set(
                facts.compactMap { keyed in
                    if case .transaction(let fact) = keyed.observation.fact { fact.transactionId.text } else { nil }
                })
            #expect(answer.statesPurchases, "\(file)")
            #expect(ids.isSuperset(of: (answer.latest + answer.inApp).map(\.purchase.transactionId)), "\(file)")
            let renewals = facts.filter { keyed in
                if case .renewal(let fact) = keyed.observation.fact { !fact.isRemoved } else { false }
            }
            #expect(renewals.count == answer.renewals.count, "\(file)")
            checked += 1
        }
        #expect(checked == 17)
    }

    @Test func `every notification counts, and opens nothing`() async throws {
        var checked = 0
        for file in try Self.files("notification-v1") {
            let notification = try #require(NotificationV1(Self.document(file).root), "\(file)")
            let (outcome, scratch) = try await Self.ingest(file, of: notification.bundleId ?? "com.example.only")
            guard case .appended(let result) = outcome else {
                Issue.record("\(file): \(outcome)")
                continue
            }
            let evidence = try #require(try scratch.ledger.reader.log.evidence(at: result.position))
            #expect(try JSONDocument(parsing: evidence).root["password"]?.string == "", "\(file)")
            let id = try #require(notification.originalTransactionId, "\(file)")
            let state = try scratch.ledger.reader.state(
                of: SubscriptionSelector(originalTransactionId: id), AsOfQuery(asOf: .latest))
            #expect(state?.subscriptions.contains { $0.entitled } != true, "\(file)")
            checked += 1
        }
        #expect(checked == 7)
    }
}
