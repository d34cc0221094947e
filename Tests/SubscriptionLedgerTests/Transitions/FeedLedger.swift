import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import FoundationEssentials
import LedgerAPI
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Synchronization

/// A ledger with a feed, in its own folder, with a clock that the test sets.
final class FeedLedger {
    let folder: DataFolder
    let clock: Clock
    private var configuration: Ledger.Configuration
    private var opened: LedgerWriter?

    final class Clock: Sendable {
        private let instant: Mutex<Instant>

        init(_ instant: Instant) { self.instant = Mutex(instant) }

        var now: Instant {
            get { instant.withLock { $0 } }
            set { instant.withLock { $0 = newValue } }
        }
    }

    /// - Parameter path: the folder of a copy to continue; nil for a new ledger.
    init(at instant: Instant, restoring path: String? = nil) throws {
        folder = DataFolder(
            path: path ?? FileManager.default.temporaryDirectory.path + "/subledger-\(UUID().uuidString)")
        let clock = Clock(instant)
        self.clock = clock
        configuration = Ledger.Configuration(folder: folder) { clock.now }
        configuration.mapSizeBytes = 8 << 30
        configuration.trust = SimulatedHistory.trust
        configuration.origin = "example.com/feed"
        try open()
    }

    deinit {
        close()
        try? FileManager.default.removeItem(atPath: folder.path)
    }

    var ledger: LedgerWriter {
        guard let opened else { preconditionFailure("the test closed it") }
        return opened
    }

    func close() {
        opened?.close()
        opened = nil
    }

    func open(_ adjust: (inout Ledger.Configuration) -> Void = { _ in }) throws {
        adjust(&configuration)
        opened = try LedgerWriter(configuration)
    }

    func reopen() throws {
        close()
        try open()
    }

    /// Removes the feed and builds it from all events at once.
    func rebuild() throws {
        close()
        try FileManager.default.removeItem(atPath: folder.transitions)
        try open()
        try ledger.transitions().rebuild()
    }

    /// Overwrites the feed's file; the ledger must be closed.
    func damageFeed() throws {
        try Data(repeating: 0xA5, count: 1 << 16).write(to: URL(filePath: folder.transitions + "/data.mdb"))
    }

    /// Replaces the feed with that of another ledger of the same origin.
    func takeFeed(of other: FeedLedger) throws {
        try FileManager.default.removeItem(atPath: folder.transitions)
        try FileManager.default.copyItem(atPath: other.folder.transitions, toPath: folder.transitions)
    }

    func append(_ jws: [UInt8]) async throws { try await append([jws]) }

    /// Appends artifacts in one transaction.
    func append(_ artifacts: [[UInt8]]) async throws {
        var checked: [CheckedArtifact] = []
        for jws in artifacts { checked.append(await ledger.check(jws, source: .file)) }
        for outcome in try await ledger.append(checked, source: .file) {
            if let refusal = outcome.refusal { throw refusal }
        }
    }

    /// Activates the default rules with a change.
    func activate(_ change: (inout Rules) -> Void) async throws {
        var rules = Rules()
        change(&rules)
        _ = try await ledger.activate(rules, text: "", by: "ops")
    }

    /// All stored rows, up to the clock's time.
    func storedRows() throws -> [[UInt8]] {
        let feed = try ledger.transitions()
        try feed.advance()
        return try feed.storedRows()
    }

    /// All rows of an environment, up to the clock's time, read page by page.
    func rows(after cursor: inout TransitionCursor?, environment: Environment = .production) throws -> [TransitionRow] {
        let feed = try ledger.transitions()
        try feed.advance()
        var rows: [TransitionRow] = []
        var hasMore = true
        while hasMore {
            let page = try feed.page(after: cursor, limit: 100, environment: environment)
            rows += page.rows.map(\.row)
            (cursor, hasMore) = (page.cursor, page.hasMore)
        }
        return rows
    }

    func rows(environment: Environment = .production) throws -> [TransitionRow] {
        var cursor: TransitionCursor?
        return try rows(after: &cursor, environment: environment)
    }
}
