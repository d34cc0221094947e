package import AppStoreVerification
package import EventLog
package import LedgerModel
package import Primitives
package import ProjectionRuntime
import Synchronization

/// A ledger: its log, the index derived from it, the vault, and the use cases on them.
package final class Ledger: Sendable {
    package struct Configuration: Sendable {
        package var folder: DataFolder
        package var trust = TrustPolicy()
        package var mapSizeBytes = 1 << 40
        package var groupCommitEvents = 2_000
        /// The name in checkpoints; nil for the name that the log keeps.
        package var origin: String?
        package var quarantine = Quarantine.Limits()
        /// The rules of answers, postings and the feed.
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
    /// Limits the verifications for callers.
    package let verifications = VerificationGate()
    /// Nil in a ledger opened for reading.
    package let quarantine: Quarantine?
    /// Nil in a ledger opened for reading before any vault exists.
    let vault: Vault?
    let portfolios = PortfolioCache()
    /// Serialises postings of the same key, token or Apple account.
    let postings = StripedLock()
    /// Serialises merges of customers. Taken after `postings`, never before.
    let merges = StripedLock()
    private let lock: FolderLock?
    /// The feed of transitions; nil until the first use.
    private let feed = Mutex<TransitionFeed?>(nil)

    /// Opens the ledger of a folder for the one process that writes, and creates missing parts.
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
        // An event recorded earlier would precede rows that readers of the feed already have.
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
            // The thread keeps `derived` alive until it is closed.
            derived.close()
            throw error
        }
    }

    /// Opens the ledger of a folder for reading, beside a writer. Nothing in the folder changes.
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

    /// Finishes accepted work: drains the writer, applies derived events, then closes the environments.
    package func close() {
        feed.withLock { $0.take() }?.close()
        log.close()
        derived.close()
    }

    /// Returns the feed of transitions, opened and followed from the first call on. Requires a ledger open for writing.
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

    /// A reference to the log, set after opening: the log needs its follower to open, and the follower reads the log.
    private final class OpenedLog: Sendable {
        private struct Reference {
            // Weak: the log holds its follower, which holds this reference.
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
