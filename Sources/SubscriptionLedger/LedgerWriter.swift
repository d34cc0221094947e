import AppStoreVerification
package import EventLog
import FactStore
import Ingestion
package import LedgerStorage
import Primitives
import Synchronization

/// Writes a ledger: ingests artifacts, posts transactions for customers, and resolves ownership.
package final class LedgerWriter: Sendable {
    package let reader: LedgerReader
    package let log: LogWriter
    let vault: VaultWriter
    package let quarantine: Quarantine
    let ingestion: Ingestion
    /// Limits the concurrent verifications of requests.
    package let verifications = ConcurrencyLimiter()
    /// The newest refusals of receipts, for advice.
    let receiptRefusals = ReceiptRefusals()
    /// Serialises postings of the same key, token or Apple account.
    let postings = StripedLock()
    /// Serialises merges of customers. Acquired after `postings`, never before.
    let merges = StripedLock()
    private let lock: FolderLock
    /// The feed of transitions; nil until the first use.
    private let feed = Mutex<TransitionFeed?>(nil)

    /// Creates the only writer of the ledger in a folder, and any missing parts of the folder.
    /// - Parameter catchesUpInBackground: whether to open at once when facts are missing, for example after an upgrade.
    ///   Until they are decoded from the log, events are accepted and questions are `busy`.
    /// - Throws: `StorageError`: `locked`, `log_corrupt`, `version_unknown`, `io_error`, `disk_full`.
    package init(_ configuration: Ledger.Configuration, catchesUpInBackground: Bool = false) throws {
        let folder = configuration.folder
        try folder.create()
        lock = try FolderLock(folder)
        try ErasureIntent.completeInterrupted(configuration)
        vault = try VaultWriter(folder, mapSizeBytes: configuration.mapSizeBytes)
        let facts = try FactIndex(
            writing: folder, mapSizeBytes: configuration.mapSizeBytes, decoder: EventDecoder.indexedFacts)
        log = try LogWriter(configuration.logWriter) { facts.observe($0) }
        reader = LedgerReader(configuration, log.reader, facts, vault.reader)
        _ = try CheckpointKey.loadOrMake(in: folder, origin: log.reader.origin)
        try facts.requireEvents(of: log.reader)
        quarantine = try Quarantine(folder: folder, limits: configuration.quarantine)
        ingestion = Ingestion(trust: configuration.trust, secrets: configuration.secrets)
        try facts.start(catchingUpWith: catchesUpInBackground ? log.reader : nil)
        do {
            if !catchesUpInBackground { try facts.catchUp(with: log.reader) }
        } catch {
            // The thread keeps `facts` alive until it is closed.
            facts.close()
            throw error
        }
    }

    package var configuration: Ledger.Configuration { reader.configuration }

    /// Finishes accepted work: drains the writer, stores the facts, then closes the environments.
    package func close() {
        feed.withLock { $0.take() }?.close()
        log.close()
        reader.facts.close()
    }

    /// Returns the feed of transitions. The first call opens it and starts to follow the log.
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

    /// Calls `body` with the feed, if it is open. It is not opened meanwhile.
    func withFeed<Result>(_ body: (TransitionFeed?) throws -> Result) throws -> Result {
        try feed.withLock { try body($0) }
    }

    /// The number of events appended by this process, per kind.
    package var appendCounts: [(kind: String, count: UInt64)] {
        log.statistics.byKind.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.name, $0.value) }
    }

    /// The durations from passing events to the writer to the durable commit.
    package var appendDurations: DurationHistogram { log.statistics.durations }

    /// Returns a stream that yields after events are committed. A slow consumer receives one element for several
    /// commits.
    package func commits() -> AsyncStream<Void> {
        let heads = log.heads()
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                for await _ in heads { continuation.yield() }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

extension Ledger.Configuration {
    fileprivate var logWriter: LogWriter.Configuration {
        var writer = LogWriter.Configuration(log: log, duplicateIndex: folder.identities, clock: clock)
        writer.groupCommitEvents = groupCommitEvents
        writer.origin = origin
        // An event recorded earlier would precede rows that consumers of the feed have already received.
        writer.floor = TransitionFeed.timeProcessed(in: self) ?? .earliest
        return writer
    }
}
