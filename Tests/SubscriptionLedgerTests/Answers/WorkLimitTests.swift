import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import Ingestion
import LedgerModel
import Primitives
import SubscriptionLedger
import Synchronization
import Testing

@Suite("The work for a question about many events") struct WorkLimitTests {
    private static let renewals = 300
    private static let id = "2000000000000001"

    enum Question: CaseIterable {
        case state, history, customer, customerHistory, owner

        /// Asks without the cache, which only knows the present.
        func ask(_ ledger: LedgerReader) throws {
            let question = AsOfQuery(asOf: .latest, knownAt: .size(try ledger.size()))
            let selector = SubscriptionSelector(originalTransactionId: id)
            let scope = CustomerScope(environment: .sandbox)
            switch self {
            case .state: _ = try #require(try ledger.state(of: selector, question))
            case .history: _ = try #require(try ledger.history(of: selector, question))
            case .customer: _ = try ledger.customer("alice", question, scope: scope)
            case .customerHistory: _ = try ledger.history(ofCustomer: "alice", question, scope: scope)
            case .owner: _ = try #require(try ledger.customer(owning: id, question, scope: scope))
            }
        }
    }

    /// A limit that allows a number of steps and counts those that were asked for.
    private final class Steps: Sendable {
        private let asked = Atomic(0)
        private let allowed: Int

        init(allowed: Int = .max) { self.allowed = allowed }

        var count: Int { asked.load(ordering: .relaxed) }

        func whileLimited<Value>(_ work: () throws -> Value) rethrows -> Value {
            let limit = WorkLimit {
                self.asked.wrappingAdd(1, ordering: .relaxed).newValue > self.allowed ? .timeLimit : nil
            }
            return try WorkLimit.$current.withValue(limit) { try work() }
        }
    }

    private static func ledger() async throws -> ScratchLedger {
        let root = try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)
        let scratch = try ScratchLedger(trust: TrustPolicy(configuredRoots: [root]))
        let day: Int64 = 86_400_000
        var pipeline = IngestPipeline(ledger: scratch.ledger, customer: try ExternalCustomerID("alice"))
        for number in 0..<renewals {
            let start = SampleArtifact.signedDate - Int64(renewals - number) * day
            let jws = SampleArtifact.transaction([
                "transactionId": .string("\(number)"), "purchaseDate": .integer(start),
                "expiresDate": .integer(start + day), "signedDate": .integer(start),
            ])
            _ = try await pipeline.add(ArtifactFile.artifacts(inLine: jws.compact, file: "renewals", number: number)[0])
        }
        _ = try await pipeline.finish()
        try #require(try scratch.size >= UInt64(renewals))
        return scratch
    }

    @Test(arguments: Question.allCases) func `ends at the step at which its limit is reached`(question: Question)
        async throws
    {
        let scratch = try await Self.ledger()
        let reader = scratch.ledger.reader
        let all = Steps()
        try all.whileLimited { try question.ask(reader) }
        #expect(all.count >= Self.renewals)
        for allowed in [0, 1, all.count / 2, all.count - 1] {
            let some = Steps(allowed: allowed)
            #expect(throws: WorkStopped.timeLimit) { try some.whileLimited { try question.ask(reader) } }
            #expect(some.count == allowed + 1)
        }
    }

    @Test func `ends when its task is cancelled`() async throws {
        let scratch = try await Self.ledger()
        let reader = scratch.ledger.reader
        let work = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try Question.history.ask(reader)
        }
        await #expect(throws: WorkStopped.cancelled) { try await work.value }
    }

    @Test func `includes the rows of a page of transitions`() async throws {
        let scratch = try await Self.ledger()
        let feed = try scratch.ledger.transitions()
        try await feed.waitUntilProcessed(try scratch.size, patience: .seconds(60))
        let all = Steps()
        let page = try all.whileLimited { try feed.page(after: nil, limit: 1_000, environment: .sandbox) }
        #expect(page.rows.count >= Self.renewals && all.count >= page.rows.count)
        let some = Steps(allowed: 10)
        #expect(throws: WorkStopped.timeLimit) {
            try some.whileLimited { _ = try feed.page(after: nil, limit: 1_000, environment: .sandbox) }
        }
        #expect(some.count == 11)
    }
}
