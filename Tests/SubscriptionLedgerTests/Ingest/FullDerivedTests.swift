import AppStoreSimulation
import AppStoreVerification
import EventLog
import FactStore
import FoundationEssentials
import LedgerAPI
import LedgerStorage
import Primitives
import SubscriptionLedger
import Testing
import TransparencyLog

struct FullDerivedTests {
    private static let count = 400

    private static func answers(_ scratch: ScratchLedger) throws -> [String?] {
        let question = AsOfQuery(asOf: Instant(milliseconds: 1_410_000_000_000))
        return try (0..<count / BulkNotifications.notificationsPerSubscription).map { number in
            let id = BulkNotifications(count: count)[number * BulkNotifications.notificationsPerSubscription]
                .unsigned.originalTransactionId
            let selector = SubscriptionSelector(originalTransactionId: try #require(id))
            return try scratch.ledger.reader.state(of: selector, question)?.json.serialized()
        }
    }

    @Test func `when derived/ has no room, answers and duplicates are as before, until it has`() async throws {
        let configuration = StoreConfiguration()
        let trust = TrustPolicy(
            apps: [TrustPolicy.App(bundleId: configuration.bundleId, appAppleId: configuration.appAppleId)],
            configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
        let artifacts = BulkNotifications(count: Self.count + 1).map(\.jws.compact)
        let scratch = try ScratchLedger(trust: trust)
        try await scratch.ingestInBulk(artifacts.dropLast())
        let answers = try Self.answers(scratch)
        #expect(answers.allSatisfy { $0 != nil })

        scratch.close()
        try FileManager.default.removeItem(atPath: scratch.folder.derived)
        // The log's map is never smaller than its file, so only the rebuilt derived data is limited.
        try scratch.open(mapSizeBytes: 64 * 1_024)
        let error = #expect(throws: StorageError.self) { try scratch.ledger.reader.facts.store() }
        #expect(error?.code == .mapFull)
        #expect(scratch.ledger.reader.facts.lag == Self.count)
        #expect(try Self.answers(scratch) == answers)
        let again = try await scratch.ingest(Array(artifacts[..<10]))
        #expect(again.map(\.position) == Array(0..<10) && again.allSatisfy { !$0.isAppended })
        let full = try scratch.ledger.reader.log.head()

        try scratch.reopen()
        #expect(try scratch.ledger.reader.log.head() == full)
        try scratch.ledger.reader.facts.store()
        #expect(scratch.ledger.reader.facts.lag == 0)
        #expect(try Self.answers(scratch) == answers)
        #expect(try await scratch.ingest(artifacts.suffix(1)).map(\.position) == [full.size])
    }

    @Test func `is needed for answers alone: who reads the log derives nothing`() async throws {
        let trust = TrustPolicy(
            configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
        let scratch = try await ScratchLedger(
            trust: trust, ingesting: BulkNotifications(count: 20).map(\.jws.compact))
        scratch.close()
        try FileManager.default.removeItem(atPath: scratch.folder.derived)
        let reader = try LedgerReader(Ledger.Configuration(folder: scratch.folder) { .latest })
        #expect(try reader.event(at: 19, facts: true) != nil)
        #expect(reader.facts.size == 0)
        let id = try #require(BulkNotifications(count: 1)[0].unsigned.originalTransactionId)
        let selector = SubscriptionSelector(originalTransactionId: id)
        #expect(try reader.state(of: selector, AsOfQuery(asOf: .latest)) != nil)
        #expect(reader.facts.size == 20)
    }
}
