import Dispatch
package import EventLog
import LMDB
import Primitives
import Synchronization

/// What is derived from the log, kept up with it: `derived/` plus the tail in memory.
///
/// Events are applied in the background, one synced transaction per 65,536 events or two seconds. Until then they are
/// in the tail, which a question is answered from as well, so that every caller reads its own writes. The union is
/// idempotent: applying twice after a crash changes nothing.
package final class Derived: Sendable {
    /// Makes what is derived from a stored event, without verifying again what was verified when it was appended.
    package typealias Decoder = @Sendable (Record, _ evidence: [UInt8]) throws -> DerivedEvent

    static let batch = 65_536
    static let interval = DispatchTimeInterval.seconds(2)
    /// Events that who only reads holds in memory, about a kilobyte each: it applies nothing.
    static let readerLimit = 1_048_576

    /// Nil where nobody has derived anything yet.
    private let store: Reopenable<FactsStore>?
    private let decoder: Decoder
    private let tail: Tail
    private let applied: Atomic<UInt64>
    private let applying = Mutex<Applying>(Applying())
    /// Held while a batch goes from the tail to the store, which two threads may want to do.
    private let batchLock = Mutex<Void>(())
    private let wake = DispatchSemaphore(value: 0)

    private struct Applying {
        var thread: DedicatedThread?
        var isClosing = false
        /// Why applying stopped; the tail goes on answering until it is full.
        var failure: String?
    }

    /// Opens what is derived for the process that writes; what another version has derived is derived again.
    package init(writing directory: String, mapSizeBytes: Int, decoder: @escaping Decoder) throws {
        let store = try Reopenable("derived/") {
            do {
                return try FactsStore(directory: directory, mapSizeBytes: mapSizeBytes, readOnly: false)
            } catch let error as EventLogError where error.code == .versionUnknown {
                FactsStore.remove(directory)
                return try FactsStore(directory: directory, mapSizeBytes: mapSizeBytes, readOnly: false)
            }
        }
        let size = try store.current().appliedSize()
        self.store = store
        self.decoder = decoder
        tail = Tail(from: size)
        applied = Atomic(size)
    }

    /// Opens the derived data for reading beside a writer. Without `derived/`, or with one of another version, all of
    /// the log is decoded into the tail.
    package init(reading directory: String, mapSizeBytes: Int, decoder: @escaping Decoder) throws {
        store = try Self.openForReading(directory, mapSizeBytes)
        let size = try store?.current().appliedSize() ?? 0
        self.decoder = decoder
        tail = Tail(from: size)
        applied = Atomic(size)
    }

    private static func openForReading(
        _ directory: String, _ mapSizeBytes: Int
    ) throws -> Reopenable<FactsStore>? {
        guard FactsStore.exists(in: directory) else { return nil }
        do {
            return try Reopenable("derived/") {
                try FactsStore(directory: directory, mapSizeBytes: mapSizeBytes, readOnly: true)
            }
        } catch let error as EventLogError where error.code == .versionUnknown {
            return nil
        }
    }

    /// To be called after opening.
    /// - Throws: `log_corrupt` when more is applied than the log has: one of the two is not of this ledger.
    package func requireNoMore(than log: EventLog) throws {
        let (size, applied) = (try log.head().size, applied.load(ordering: .acquiring))
        guard applied <= size else {
            throw EventLogError(
                .logCorrupt, "derived/ is ahead of the log", expected: "at most \(size) events", found: "\(applied)",
                hint: EventLogError.remakingHint)
        }
    }

    /// Brings the tail up to the log's head. Who writes applies as it goes when far behind.
    /// - Throws: `busy` in a reader that has too far to go.
    package func catchUp(with log: EventLog) throws {
        let size = try log.head().size
        let isApplying = applying.withLock { $0.thread != nil }
        guard isApplying || size < applied.load(ordering: .acquiring) + UInt64(Self.readerLimit) else {
            throw EventLogError(
                .busy, "too much of the log is not derived yet",
                expected: "at most \(Self.readerLimit) events beyond derived/",
                found: "\(size - applied.load(ordering: .acquiring))",
                hint: "Open the folder for writing once, as with `subledger serve`: that derives them.")
        }
        while tail.end < size {
            var events: [DerivedEvent] = []
            _ = try log.forEach(from: tail.end, below: size) { record, evidence in
                events.append(try decoder(record, evidence))
            }
            guard !events.isEmpty, tail.append(events) else { break }
            if isApplying, tail.count >= Self.batch { try apply() }
        }
    }

    /// Starts applying in the background.
    package func start() throws {
        let thread = try DedicatedThread { self.applyUntilClosed() }
        applying.withLock { $0.thread = thread }
    }

    /// Applies what is in the tail, and stops.
    package func close() {
        let thread = applying.withLock { applying in
            applying.isClosing = true
            return applying.thread.take()
        }
        wake.signal()
        thread?.join()
    }

    private func applyUntilClosed() {
        while true {
            _ = wake.wait(timeout: .now() + Self.interval)
            do {
                while tail.count > 0 { try apply() }
                applying.withLock { $0.failure = nil }
            } catch {
                applying.withLock { $0.failure = "\(error)" }
            }
            if applying.withLock({ $0.isClosing }) { return }
        }
    }

    /// Applies what is in the tail, up to 65,536 events of it, in one transaction.
    /// - Throws: `EventLogError`, `map_full` and `disk_full` among them; then the tail keeps what it has.
    package func apply() throws {
        guard let store else { return }
        try batchLock.withLock { _ in
            let events = tail.prefix(Self.batch)
            guard let last = events.last else { return }
            do {
                try store.currentOrReopened().apply(events)
            } catch let error as LMDBError {
                if !EventLogError.isNoRoom(error) { try store.reopen() }
                throw EventLogError(error, while: "derived/ was not brought up to the log")
            }
            applied.store(last.position + 1, ordering: .releasing)
            tail.removeFirst(events.count)
        }
    }
}

extension Derived {
    /// How the log learns what is derived; see `LogFollower`.
    package func follower(of log: @escaping @Sendable () -> EventLog?) -> LogFollower {
        LogFollower(
            storedIdentities: { [self] identities in try store?.current().positions(of: identities) ?? [:] },
            unappliedIdentities: { [self] in
                if let log = log() { try catchUp(with: log) }
                return tail.identities
            },
            appliedSize: { [self] in applied.load(ordering: .acquiring) },
            committed: { [self] events in follow(events.map(DerivedEvent.init), log()) })
    }

    private func follow(_ events: [DerivedEvent], _ log: EventLog?) {
        // A gap is left by a group whose commit failed and yet held: the log has what is missing, up to these events.
        if !tail.append(events), let log {
            try? catchUp(with: log)
            _ = tail.append(events)
        }
        if tail.count >= Self.batch { wake.signal() }
    }

    /// How many events of the log are known here, applied or not.
    package var size: UInt64 { tail.end }

    /// Events that are in the log but not applied.
    package var lag: Int { tail.count }

    /// Whether no event from `size` on has come under any of these terms since this was opened. It may say no without
    /// need.
    package func isUnchanged(_ terms: [IndexTerm], since size: UInt64) -> Bool {
        tail.isUnchanged(terms, since: size)
    }

    /// Frees the reader slots of processes that died.
    package func clearStaleReaders() throws {
        try store?.current().clearStaleReaders()
    }

    /// Whether deriving has fallen so far behind that nothing more should be taken.
    package var isFull: Bool { tail.count >= Tail.limit }

    /// Why applying does not get on, if it does not.
    package var failure: String? { applying.withLock { $0.failure } }

    /// The tail first, as below.
    func event(at position: UInt64) throws -> StoredFacts? {
        try tail.event(at: position) ?? store?.current().event(at: position)
    }

    /// The tail first: what leaves it is in the store by then.
    /// - Parameter isWanted: of which positions; the others are not even read.
    func events(under term: IndexTerm, at isWanted: (UInt64) -> Bool) throws -> [StoredFacts] {
        let recent = tail.events(under: term).filter { isWanted($0.position) }
        let stored = try store?.current().events(under: term, at: isWanted) ?? []
        let known = Set(stored.map(\.position))
        return stored + recent.filter { !known.contains($0.position) }
    }
}
