package import AppStoreVerification
package import EventLog
package import FactStore
package import Ingestion
package import LedgerModel
package import LedgerStorage
package import Primitives
import Synchronization

/// A ledger, which consists of its log, the facts decoded from it, and the vault. `LedgerReader` and `LedgerWriter`
/// implement its use cases.
package enum Ledger {
    package struct Configuration: Sendable {
        package var folder: DataFolder
        package var trust = TrustPolicy()
        /// The shared secrets of the apps.
        package var secrets = SharedSecrets()
        package var mapSizeBytes = 1 << 40
        package var groupCommitEvents = 2_000
        /// The name in checkpoints; nil for the name stored in the log.
        package var origin: String?
        package var quarantine = Quarantine.Limits()
        /// The rules before the first activation.
        package var rules = Rules()
        package var clock: @Sendable () -> Instant

        package init(folder: DataFolder, clock: @escaping @Sendable () -> Instant) {
            self.folder = folder
            self.clock = clock
        }

        var log: LogConfiguration {
            var log = LogConfiguration(directory: folder.log)
            log.mapSizeBytes = mapSizeBytes
            return log
        }
    }
}

/// Reads a ledger: answers about subscriptions and customers, and the events behind them.
package final class LedgerReader: Sendable {
    package let configuration: Ledger.Configuration
    package let log: LogReader
    package let facts: FactIndex
    /// The vault; nil before one exists.
    let vault: VaultReader?
    let customerStates = CustomerStateCache()
    let activeRules: ActiveRules
    let appliedCatalogs: AppliedCatalogs
    let appliedRates: AppliedRates
    let closes: OwnEvents<NumbersClose>
    let analysisTurn = AnalysisTurn()
    /// The store of the feed that this process writes; nil without one. LMDB cannot open an environment twice.
    let sharedTransitions = Mutex<RecoverableEnvironment<TransitionStore>?>(nil)

    /// Creates a reader of the ledger in a folder, also beside a writer. Does not modify the ledger.
    /// - Throws: `StorageError`: `log_corrupt`, `version_unknown`, `io_error`.
    package convenience init(_ configuration: Ledger.Configuration) throws {
        let folder = configuration.folder
        try folder.requireExists()
        let log = try LogReader(configuration.log, origin: configuration.origin)
        let facts = try FactIndex(
            reading: folder, mapSizeBytes: configuration.mapSizeBytes, decoder: EventDecoder.indexedFacts)
        try facts.requireEvents(of: log)
        let vault = try VaultReader(folder, mapSizeBytes: configuration.mapSizeBytes)
        self.init(configuration, log, facts, vault)
    }

    init(_ configuration: Ledger.Configuration, _ log: LogReader, _ facts: FactIndex, _ vault: VaultReader?) {
        self.configuration = configuration
        self.log = log
        self.facts = facts
        self.vault = vault
        activeRules = ActiveRules(initial: configuration.rules, log, facts)
        appliedCatalogs = AppliedCatalogs(log, facts)
        appliedRates = AppliedRates(log, facts)
        closes = OwnEvents(.numbersCloses, log, facts) { record, _ in try CloseEvents.close(in: record) }
    }

    /// Returns the number of acknowledged events.
    package func size() throws -> Position { try log.size() }

    /// The name in checkpoints.
    package var origin: String { log.origin }

    /// Frees the reader slots of dead processes. Call it every few seconds, because a dead reader prevents the reuse of
    /// every page freed since its snapshot.
    package func clearStaleReaders() throws {
        try log.clearStaleReaders()
        try facts.clearStaleReaders()
    }

    /// Returns the number of bytes by which the log can still grow, limited by the disk and by the map.
    /// - Throws: `busy` while the log is being reopened, `io_error`.
    package func freeBytes() throws -> Int {
        min(try log.freeMapBytes(), try configuration.folder.freeDiskBytes())
    }

    /// The number of events whose facts are not stored yet.
    package var factLag: UInt64 { facts.lag(behind: log) }

    /// Whether questions are `busy` because the facts of the log's events are still being decoded.
    package var isCatchingUp: Bool { facts.isCatchingUp }

    /// The reason that storing facts fails; nil when it succeeds.
    package var factFailure: String? { facts.failure }

    /// Whether too many events wait for their facts to be stored. The ledger then rejects new events.
    package var isFactIndexFull: Bool { facts.isFull }
}
