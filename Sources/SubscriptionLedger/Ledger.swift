package import AppStoreVerification
package import EventLog
package import LedgerModel
package import Primitives
package import ProjectionRuntime
import Synchronization

/// One ledger: its log, what is derived from it, and what may be done with both. The only module that knows all parts.
package final class Ledger: Sendable {
    package struct Configuration: Sendable {
        package var folder: DataFolder
        package var trust = TrustPolicy()
        package var mapSizeBytes = 1 << 40
        package var groupCommitEvents = 2_000
        /// The name in checkpoints; nil: one that the log keeps.
        package var origin: String?
        package var quarantine = Quarantine.Limits()
        /// What postings are decided by.
        package var rules = Rules()
        package var clock: @Sendable () -> Instant

        package init(folder: DataFolder, clock: @escaping @Sendable () -> Instant) {
            self.folder = folder
            self.clock = clock
        }
    }

    package let configuration: Configuration
    package let log: EventLog
    package let derived: Derived
    package let verifier: SignedDataVerifier
    /// What verifications for callers pass through.
    package let verifications = VerificationGate()
    /// For who writes.
    package let quarantine: Quarantine?
    /// Nil where nobody has written yet.
    let vault: Vault?
    let portfolios = PortfolioCache()
    /// The owner of a key changes for one posting at a time.
    let postings = StripedLock()
    /// Customers are merged one after the other. Taken after `postings`, never before.
    let merges = StripedLock()
    private let lock: FolderLock?
    /// The feed of transitions of a process that serves.
    private let feed = Mutex<TransitionFeed?>(nil)

    /// Opens the ledger of a folder for the one process that writes, making what is missing.
    /// - Throws: `EventLogError`: `locked`, `log_corrupt`, `version_unknown`, `io_error`, `disk_full`.
    package init(writing configuration: Configuration) throws {
        let folder = configuration.folder
        try folder.create()
        let lock = try FolderLock(folder)
        vault = try Vault(writing: folder, mapSizeBytes: configuration.mapSizeBytes)
        let derived = try Derived(
            writing: folder.derived, mapSizeBytes: configuration.mapSizeBytes, decoder: Derivation.event)
        let opened = OpenedLog()
        var logConfiguration = configuration.log
        // An event recorded earlier would belong between rows that readers of the feed have.
        logConfiguration.floor = TransitionFeed.timeProcessed(in: configuration) ?? .earliest
        log = try EventLog(
            writing: logConfiguration, origin: configuration.origin,
            follower: derived.follower { opened.log })
        opened.log = log
        _ = try CheckpointKey.loadOrMake(in: folder, origin: log.origin)
        try derived.requireNoMore(than: log)
        quarantine = try Quarantine(folder: folder, limits: configuration.quarantine)
        self.configuration = configuration
        self.derived = derived
        self.lock = lock
        verifier = SignedDataVerifier(trust: configuration.trust)
        try derived.start()
        do {
            try derived.catchUp(with: log)
        } catch {
            // The thread holds what it applies to.
            derived.close()
            throw error
        }
    }

    /// Opens the ledger of a folder for reading beside whoever writes. Nothing in the folder changes.
    package init(reading configuration: Configuration) throws {
        try configuration.folder.requireExists()
        log = try EventLog(reading: configuration.log, origin: configuration.origin)
        derived = try Derived(
            reading: configuration.folder.derived, mapSizeBytes: configuration.mapSizeBytes,
            decoder: Derivation.event)
        try derived.requireNoMore(than: log)
        vault = try Vault(reading: configuration.folder, mapSizeBytes: configuration.mapSizeBytes)
        self.configuration = configuration
        lock = nil
        quarantine = nil
        verifier = SignedDataVerifier(trust: configuration.trust)
    }

    /// Finishes accepted work: the writer drains, what is derived is applied, then the environments close.
    package func close() {
        feed.withLock { $0.take() }?.close()
        log.close()
        derived.close()
    }

    /// The feed of transitions, made and kept up to date from the first call on. For who writes.
    /// - Throws: `io_error`, `disk_full`.
    package func transitions() throws -> TransitionFeed {
        try feed.withLock { feed in
            if let feed { return feed }
            let opened = try TransitionFeed(of: self)
            try opened.start()
            feed = opened
            return opened
        }
    }

    /// The log, once it is open: the follower needs it to read, and it needs the follower to open.
    private final class OpenedLog: Sendable {
        private struct Reference {
            // The log holds its follower, which holds this.
            weak var log: EventLog?
        }

        private let stored = Mutex(Reference())

        var log: EventLog? {
            get { stored.withLock { $0.log } }
            set { stored.withLock { $0.log = newValue } }
        }
    }
}

extension Ledger.Configuration {
    var log: EventLog.Configuration {
        var log = EventLog.Configuration(directory: folder.log, clock: clock)
        log.mapSizeBytes = mapSizeBytes
        log.groupCommitEvents = groupCommitEvents
        return log
    }
}
