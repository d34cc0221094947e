import Dispatch
package import EventLog
import LMDB
package import LedgerStorage
import Primitives
import Synchronization

/// The facts of the log's events with their index, both the stored ones and the pending ones in memory.
///
/// A background thread stores the pending events, in one synced transaction per 65,536 events or two seconds. A query
/// reads both, so every caller reads its own writes. Storing an event twice after a crash has no effect.
package final class FactIndex: Sendable {
    /// Decodes the facts of a stored event, without repeating the verification.
    package typealias Decoder = @Sendable (Record, EventEvidence) throws -> IndexedFacts

    /// The version of the stored facts and of their decoding.
    package static let layout = FactDatabase.layout

    static let batch = 65_536
    static let interval = DispatchTimeInterval.seconds(2)
    /// The maximum number of pending events in a read-only process, which stores none (about 1 KB each).
    static let readerLimit = 1_048_576

    private let folder: DataFolder
    /// Nil in a read-only process when no writer has stored facts of this layout yet.
    private let database: RecoverableEnvironment<FactDatabase>?
    private let decoder: Decoder
    private let pending: PendingEvents
    private let storedSize: Atomic<UInt64>
    /// Whether every event of the log had known facts at some time.
    private let hasCaughtUp = Atomic(false)
    private let hasRemovedOlderFacts = Atomic(false)
    private let thread = PeriodicThread(every: interval)
    /// Whether a background catch-up with the log is not complete.
    private let isBehind = Atomic(false)
    /// Held while a batch moves from memory to the database. Two threads may try this at once.
    private let batchLock = Mutex<Void>(())

    /// Opens the index for the writing process. Facts of an older layout are kept until those of this layout are
    /// decoded from the log and stored; an interrupted catch-up continues at the last stored event.
    /// - Throws: `StorageError`, also `version_unknown` when the folder of this layout has facts of another version.
    package init(writing folder: DataFolder, mapSizeBytes: Int, decoder: @escaping Decoder) throws {
        try folder.createFacts()
        let database = try RecoverableEnvironment("derived/") {
            try FactDatabase(directory: folder.facts, mapSizeBytes: mapSizeBytes, readOnly: false)
        }
        let size = try database.current().size()
        self.folder = folder
        self.database = database
        self.decoder = decoder
        pending = PendingEvents(from: size)
        storedSize = Atomic(size)
    }

    /// Opens the index for reading beside a writer. The events that have no stored facts of this layout are decoded
    /// into memory.
    /// - Throws: `StorageError`, also `version_unknown` when the folder of this layout has facts of another version.
    package init(reading folder: DataFolder, mapSizeBytes: Int, decoder: @escaping Decoder) throws {
        database = try Self.openForReading(folder.facts, mapSizeBytes)
        let size = try database?.current().size() ?? 0
        self.folder = folder
        self.decoder = decoder
        pending = PendingEvents(from: size)
        storedSize = Atomic(size)
    }

    private static func openForReading(
        _ directory: String, _ mapSizeBytes: Int
    ) throws -> RecoverableEnvironment<FactDatabase>? {
        guard FactDatabase.exists(in: directory) else { return nil }
        return try RecoverableEnvironment("derived/") {
            try FactDatabase(directory: directory, mapSizeBytes: mapSizeBytes, readOnly: true)
        }
    }

    /// - Throws: `log_corrupt` when the log does not have the stored events: one of the two belongs to another ledger.
    package func requireEvents(of log: LogReader) throws {
        let (size, stored) = (try log.size(), storedSize.load(ordering: .acquiring))
        guard stored <= size else {
            throw StorageError(
                .logCorrupt, "derived/ is ahead of the log", expected: "at most \(size) events", found: "\(stored)",
                hint: StorageError.rebuildHint)
        }
        guard stored > 0, let last = try database?.current().event(at: stored - 1),
            let record = try log.record(at: stored - 1)
        else { return }
        guard last.recordedAt == record.recordedAt else {
            throw StorageError(
                .logCorrupt, "derived/ belongs to another log",
                expected: "event \(stored - 1) recorded at \(record.recordedAt.iso8601)",
                found: last.recordedAt.iso8601, hint: StorageError.rebuildHint)
        }
    }

    /// Decodes the events up to the head of the log. A writing process that is far behind stores them as it proceeds.
    /// - Throws: `busy` in a read-only process that is too far behind, and while a background catch-up runs.
    package func catchUp(with log: LogReader) throws {
        let size = try log.size()
        guard !isBehind.load(ordering: .acquiring) else {
            throw StorageError(
                .busy, "the facts are being decoded from the log", expected: "\(size) events", found: "\(pending.end)",
                hint: "Try again.")
        }
        let stored = storedSize.load(ordering: .acquiring)
        guard thread.isRunning || size < stored + UInt64(Self.readerLimit) else {
            throw StorageError(
                .busy, "derived data lags too far behind the log",
                expected: "at most \(Self.readerLimit) events not in derived/", found: "\(size - stored)",
                hint: "Run a writing command such as `subledger serve` to update derived/.")
        }
        try decode(log, upTo: size)
        if pending.end >= size { hasCaughtUp.store(true, ordering: .releasing) }
    }

    /// Decodes events into memory, and stores full batches in a writing process.
    private func decode(_ log: LogReader, upTo size: UInt64) throws {
        while pending.end < size, !thread.isClosing {
            // While storing fails, nothing more is read into memory.
            if thread.isRunning, pending.count >= Self.batch { try store() }
            var events: [IndexedEvent] = []
            _ = try log.forEach(from: pending.end, below: size) { record, evidence in
                events.append(
                    IndexedEvent(
                        position: record.position, recordedAt: record.recordedAt,
                        facts: try decoder(record, evidence)))
            }
            guard !events.isEmpty, pending.append(events) else { break }
        }
    }

    /// Starts storing in the background.
    /// - Parameter log: the log to catch up with first, in the background. Until then, queries are `busy`; observed
    ///   commits are left to the catch-up.
    package func start(catchingUpWith log: LogReader? = nil) throws {
        isBehind.store(log != nil, ordering: .releasing)
        try thread.start { [self] in
            if let log, isBehind.load(ordering: .acquiring) { try catchUpInBackground(with: log) }
            // Read first: all events that were known by then are stored by the loop.
            let hasCaughtUp = hasCaughtUp.load(ordering: .acquiring)
            while pending.count > 0 { try store() }
            if hasCaughtUp { try removeOlderFacts() }
        }
        if log != nil { thread.wake() }
    }

    private func catchUpInBackground(with log: LogReader) throws {
        // Commits that arrive in the meantime are read from the log too, so it is asked for its size again.
        while pending.end < (try log.size()) {
            guard !thread.isClosing else { return }
            try decode(log, upTo: try log.size())
        }
        hasCaughtUp.store(true, ordering: .releasing)
        isBehind.store(false, ordering: .releasing)
    }

    /// Decodes all facts from the log again, into a new folder that takes the place of the old one. Answers come from the
    /// old facts until then.
    /// - Precondition: nothing is appended meanwhile.
    /// - Parameter progress: called with the number of events decoded and the total.
    /// - Throws: `busy` while the facts are behind the log; `StorageError`. The old facts then stay.
    package func decodeAgain(_ log: LogReader, progress: (UInt64, UInt64) -> Void) throws {
        guard let database, !isCatchingUp else {
            throw StorageError(.busy, "the facts are being decoded from the log", hint: "Try again.")
        }
        while pending.count > 0 { try store() }
        try batchLock.withLock { _ in
            let (facts, new) = (Folder(folder.facts), folder.newFacts)
            if new.exists { try new.remove() }
            try new.create()
            try decode(log, into: new, try database.current().mapSizeBytes, progress)
            try new.exchange(with: facts)
            try database.openReplacement()
            try new.remove()
        }
        try folder.removeOlderFacts()
    }

    private func decode(
        _ log: LogReader, into folder: Folder, _ mapSizeBytes: Int, _ progress: (UInt64, UInt64) -> Void
    ) throws {
        do {
            let database = try FactDatabase(directory: folder.path, mapSizeBytes: mapSizeBytes, readOnly: false)
            let end = storedSize.load(ordering: .acquiring)
            var (position, events): (UInt64, [IndexedEvent]) = (0, [])
            while position < end {
                position = try log.forEach(from: position, below: end) { record, evidence in
                    events.append(
                        IndexedEvent(
                            position: record.position, recordedAt: record.recordedAt,
                            facts: try decoder(record, evidence)))
                }
                guard events.count >= Self.batch || position == end else { continue }
                try database.add(events)
                events.removeAll()
                progress(position, end)
            }
        } catch let error as LMDBError {
            throw StorageError(error, while: "updating derived/ failed")
        }
        try AtomicFile.syncFolder(of: "\(folder.path)/\(LMDB.Environment.dataFileName)")
    }

    /// Removes the facts of older layouts, once those of this layout are complete and synced.
    private func removeOlderFacts() throws {
        guard !hasRemovedOlderFacts.load(ordering: .relaxed) else { return }
        try folder.removeOlderFacts()
        hasRemovedOlderFacts.store(true, ordering: .relaxed)
    }

    /// Stores the pending events and stops the thread.
    package func close() {
        thread.close()
    }

    /// Stores up to 65,536 pending events in one transaction.
    /// - Throws: `StorageError`, also `map_full` and `disk_full`; the events then stay in memory.
    package func store() throws {
        guard let database else { return }
        try batchLock.withLock { _ in
            let events = pending.prefix(Self.batch)
            guard let last = events.last else { return }
            do {
                try database.currentOrReopened().add(events)
            } catch let error as LMDBError {
                if !StorageError.isNoRoom(error) { try database.reopen() }
                throw StorageError(error, while: "updating derived/ failed")
            }
            storedSize.store(last.position + 1, ordering: .releasing)
            pending.removeFirst(events.count)
        }
    }
}

extension FactIndex {
    /// Adds the facts of a commit, as a `CommitObserver`. Does nothing while events before it are missing.
    package func observe(_ events: [CommittedEvent]) {
        _ = pending.append(events.map(IndexedEvent.init))
        if pending.count >= Self.batch { thread.wake() }
    }

    /// The number of the log's events with known facts, stored or pending.
    package var size: UInt64 { pending.end }

    /// The number of pending events.
    package var lag: Int { pending.count }

    /// Returns the number of the log's events whose facts are not stored, as far as the log can be read.
    package func lag(behind log: LogReader) -> UInt64 {
        let stored = storedSize.load(ordering: .acquiring)
        return max(stored, (try? log.size()) ?? pending.end) - stored
    }

    /// Whether queries are `busy` because the facts of the log's events are still being decoded.
    package var isCatchingUp: Bool { isBehind.load(ordering: .acquiring) }

    /// Whether no event from `size` on has any of these terms. The result may be false although no such event exists.
    package func isUnchanged(_ terms: [IndexTerm], since size: UInt64) -> Bool {
        pending.isUnchanged(terms, since: size)
    }

    /// Frees the reader slots of dead processes.
    package func clearStaleReaders() throws {
        try database?.current().clearStaleReaders()
    }

    /// Whether the ledger refuses more events because too many are pending.
    package var isFull: Bool { pending.count >= PendingEvents.limit }

    /// The reason that storing fails; nil when it succeeds.
    package var failure: String? { thread.failure }

    /// The events that are not stored, ascending.
    var pendingEvents: [IndexedEvent] { pending.prefix(.max) }

    /// Returns the stored facts; nil when none are stored.
    func currentDatabase() throws -> FactDatabase? { try database?.current() }

    func event(at position: UInt64) throws -> DecodedEvent? {
        // Pending events are read first: events that leave memory in the meantime are already stored.
        if let recent = pending.event(at: position) { return try DecodedEvent(recent) }
        return try database?.current().event(at: position)
    }

    /// - Parameter isWanted: selects positions; events at other positions are not read.
    func events(under term: IndexTerm, at isWanted: (UInt64) -> Bool) throws -> [DecodedEvent] {
        let recent = pending.events(under: term)
        let stored = try database?.current().events(under: term, at: isWanted) ?? []
        guard !recent.isEmpty else { return stored }
        let known = Set(stored.map(\.position))
        return try stored
            + recent.filter { isWanted($0.position) && !known.contains($0.position) }.map { event in
                try WorkLimit.check()
                return try DecodedEvent(event)
            }
    }
}
