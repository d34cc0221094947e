import AppStoreSimulation
import AppStoreVerification
import EventLog
import FactStore
import FoundationEssentials
import Glibc
import LMDB
import LedgerAPI
import LedgerStorage
import LedgerTesting
import Primitives
import SubscriptionLedger
import Testing

/// A ledger whose facts are those of an older version, in both places that older versions use, so that the next writer
/// decodes all facts from the log. The older facts are only compared, never read.
final class UpgradedLedger: Sendable {
    /// Events beyond two batches, so that a writer that is killed may have stored none, one or two of three.
    private static let otherEvents = 140_000
    private static let notifications = 40
    private static let now = Instant(milliseconds: 1_800_000_000_000)

    private let temporary: TemporaryFolder
    private let folder: DataFolder
    private let size: UInt64
    private let olderFacts: [UInt8]
    private let facts: Digest
    private let answers: [String]

    init() async throws {
        temporary = try TemporaryFolder()
        folder = DataFolder(path: temporary.path + "/data")
        size = try await Self.write(to: folder)
        olderFacts = try File.read(folder.facts + "/data.mdb")
        facts = try Self.storedFacts(folder)
        answers = try Self.answers(folder)
        try restoreOlderFacts()
    }

    private var olderFolders: [String] { [folder.derived, folder.derived + "/facts-4"] }

    /// Removes the facts of this version, and makes those of older versions whole.
    func restoreOlderFacts() throws {
        try FileManager.default.removeItem(atPath: folder.facts)
        for older in olderFolders {
            mkdir(older, 0o700)
            try File.write(olderFacts, to: older + "/data.mdb")
        }
    }

    /// Runs a writer that decodes what is missing and ends.
    /// - Returns: the time that it took.
    @discardableResult
    func catchUp() throws -> Duration {
        let start = ContinuousClock.now
        let run = try Subledger(["ingest", "-", "--data", folder.path])
        try #require(run.ending == .exited(0), "\(run.errors)")
        let duration = ContinuousClock.now - start
        try #require(try isComplete() && !olderFolders.contains { access($0 + "/data.mdb", F_OK) == 0 })
        try #require(try Self.storedFacts(folder) == facts)
        try #require(try Self.answers(folder) == answers)
        return duration
    }

    /// Kills a writer that decodes what is missing. Then no stored event is lost, and the older facts are whole unless
    /// the new ones are complete.
    func kill(after delay: Duration, serving: Bool) throws {
        let before = try storedSize()
        let command = serving ? ["serve", "--port", "0"] : ["ingest", "-"]
        let writer = try ChildProcess("subledger", command + ["--data", folder.path])
        // Standard input stays open, so that the command does not end before it is killed.
        let deadline = ContinuousClock.now + delay
        while writer.nextLine(before: deadline) != nil {}
        let ending = writer.end(by: SIGKILL)
        try #require(ending == .signalled(SIGKILL), "\(writer.standardError)")
        try #require(try storedSize() >= before)
        guard try !isComplete() else { return }
        for older in olderFolders { try #require(try File.read(older + "/data.mdb") == olderFacts, "\(older)") }
    }

    /// Whether the facts of all events are stored.
    func isComplete() throws -> Bool { try storedSize() == size }

    /// Returns the number of events with stored facts.
    func storedSize() throws -> UInt64 { try Self.reader(folder).facts.size }

    private static func reader(_ folder: DataFolder) throws -> LedgerReader {
        try LedgerReader(Ledger.Configuration(folder: folder) { now })
    }

    private static func storedFacts(_ folder: DataFolder) throws -> Digest {
        var options = LMDB.Environment.Options()
        options.readOnly = true
        let environment = try LMDB.Environment(directory: folder.facts, options: options)
        let facts = try environment.openDatabase("facts", flags: .integerKey)
        let transaction = try environment.beginRead()
        var cursor = try transaction.cursor(in: facts)
        var bytes: [UInt8] = []
        while let entry = try cursor.next() { entry.value.withUnsafeBytes { bytes += $0 } }
        return .sha256(of: bytes)
    }

    /// Returns the states of all subscriptions.
    private static func answers(_ folder: DataFolder) throws -> [String] {
        let reader = try reader(folder)
        let each = BulkNotifications.notificationsPerSubscription
        return try (0..<notifications / each).map { number in
            let notification = BulkNotifications(count: notifications)[number * each]
            let id = try #require(notification.unsigned.originalTransactionId)
            let selector = SubscriptionSelector(originalTransactionId: id)
            return try #require(try reader.state(of: selector, AsOfQuery(asOf: now))).json.serialized()
        }
    }

    /// Writes the events.
    /// - Returns: the number of events.
    private static func write(to folder: DataFolder) async throws -> UInt64 {
        var configuration = Ledger.Configuration(folder: folder) { now }
        configuration.trust = TrustPolicy(
            configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
        let ledger = try LedgerWriter(configuration)
        for number in 0..<notifications {
            let notification = BulkNotifications(count: notifications)[number].jws.compact
            let checked = await ledger.check(notification, source: .file)
            _ = try await ledger.append([checked], source: .file)
        }
        for start in stride(from: 0, to: otherEvents, by: 2_000) {
            let drafts = (start..<start + 2_000).map(Self.draft)
            _ = try await ledger.log.append(drafts.map(ledger.log.prepare))
        }
        defer { ledger.close() }
        return try ledger.reader.size()
    }

    /// An event without facts.
    private static func draft(_ number: Int) -> EventDraft {
        EventDraft(
            // A kind that no version knows: its content is not checked.
            kind: EventKind(rawValue: 255), source: .operator, environment: .none, artifact: .yaml, trust: .own,
            idempotencyKey: IdempotencyKey(artifact: .yaml, environment: .none, key: Array("\(number)".utf8)),
            evidence: .none, verifiedAt: now)
    }
}
