import LMDB
import LedgerStorage
import Primitives
import Synchronization
import TransparencyLog

/// The only thread that changes the log.
///
/// It takes the waiting requests as a batch of up to `groupCommitEvents` events or 16 MiB, writes the batch in one
/// transaction, and answers every caller once, after the sync. If there is no room, nothing of the batch is in the log,
/// and the callers may retry. After any other failed commit the outcome is unknown: the environment is closed and
/// reopened, and the idempotency keys settle the retries. A failed sync is never repeated.
final class Writer: Sendable {
    static let batchByteLimit = 16 * 1_024 * 1_024
    /// The wait for the callers just answered: a share of the last commit's duration, and the maximum.
    private static let patienceShare = 0.25
    private static let patienceLimit = Duration.milliseconds(10)

    let queue = WriterQueue()
    private let reader: LogReader
    private let core: LogCore
    private let duplicates: DuplicateIndex
    private let configuration: LogWriter.Configuration
    private let observer: CommitObserver
    private let thread = Mutex<DedicatedThread?>(nil)
    /// The instant after which every further event is recorded. The lock is held from the moment a batch gets its time
    /// until its commit is published.
    private let floor: Mutex<Instant>

    init(
        _ reader: LogReader, _ duplicates: DuplicateIndex, _ configuration: LogWriter.Configuration,
        _ observer: @escaping CommitObserver
    ) {
        self.reader = reader
        core = reader.core
        self.duplicates = duplicates
        self.configuration = configuration
        self.observer = observer
        floor = Mutex(configuration.floor)
    }

    func start() throws(StorageError) {
        let started = try DedicatedThread { self.run() }
        thread.withLock { $0 = started }
    }

    /// Lets the writer finish the queued requests, and waits for its thread.
    func stop() {
        queue.close()
        thread.withLock { $0.take() }?.join()
    }

    /// Ensures that every later event is recorded after `instant`. Waits for the commit in progress.
    /// - Returns: the log size from which on this applies.
    /// - Throws: `busy` while the outcome of a commit is unknown.
    func raiseFloor(to instant: Instant) throws -> UInt64 {
        try floor.withLock { floor in
            floor = max(floor, instant)
            return try core.settledHead().size
        }
    }

    private func run() {
        var knowledge = Knowledge.outdated(unsettled: nil)
        while let group = queue.takeGroup(
            eventLimit: configuration.groupCommitEvents, byteLimit: Self.batchByteLimit)
        {
            do {
                let start = ContinuousClock.now
                let answers = try commit(group, &knowledge)
                let duration = ContinuousClock.now - start
                let waiting = queue.count
                for (request, answer) in zip(group, answers) { request.answer.resume(returning: answer) }
                // Answered callers may append again and join the waiting ones. Otherwise callers that append in a loop
                // would split into two batches, each waiting for the other's sync.
                queue.wait(
                    forRequests: waiting + group.count, eventLimit: configuration.groupCommitEvents,
                    byteLimit: Self.batchByteLimit, patience: min(duration * Self.patienceShare, Self.patienceLimit))
            } catch {
                let failure = (error as? StorageError) ?? StorageError(.ioError, "\(error)")
                for request in group { request.answer.resume(throwing: failure) }
            }
        }
    }
}

/// The writer's state, or the need to read it from the log.
private enum Knowledge {
    case current(WriterState)
    /// - Parameter unsettled: a batch whose commit failed with an unknown outcome.
    case outdated(unsettled: CommitBatch?)
}

extension Writer {
    private func commit(_ group: [AppendRequest], _ knowledge: inout Knowledge) throws -> [[AppendResult]] {
        let state = try settle(&knowledge)
        let known = try duplicates.firstPositions(of: group.flatMap(\.keys))
        let now = configuration.clock()
        return try floor.withLock { floor in
            let recordedAt = max(now, state.lastRecordedAt, floor.advanced(byMilliseconds: 1))
            let batch = CommitBatch(group, after: state.edge, recordedAt: recordedAt, known: known)
            guard !batch.newEvents.isEmpty else { return batch.answers }
            try commit(batch, after: state, &knowledge)
            return batch.answers
        }
    }

    private func commit(_ batch: CommitBatch, after state: WriterState, _ knowledge: inout Knowledge) throws {
        do {
            let storedHeaders = try write(batch, storedHeaders: state.storedHeaders)
            knowledge = .current(
                WriterState(edge: batch.edge, lastRecordedAt: batch.recordedAt, storedHeaders: storedHeaders))
        } catch let error as LMDBError {
            if !StorageError.isNoRoom(error) {
                knowledge = .outdated(unsettled: batch)
                try core.reopen()
                _ = try settle(&knowledge)
            }
            throw StorageError(error, while: "committing the batch failed")
        }
        announce(batch)
    }

    /// Returns the writer's state. After a commit of unknown outcome, announces its events if they are in the log.
    private func settle(_ knowledge: inout Knowledge) throws -> WriterState {
        switch knowledge {
        case .current(let state):
            return state
        case .outdated(let unsettled):
            try core.ensureOpen()
            let state = try core.writerState()
            if let unsettled, unsettled.edge == state.edge { announce(unsettled) }
            try duplicates.catchUp(with: reader)
            knowledge = .current(state)
            return state
        }
    }

    private func announce(_ batch: CommitBatch) {
        duplicates.add(batch.newKeys, size: batch.edge.size)
        // The observer comes before the head, so a reader of the new head finds the facts of its events.
        observer(batch.newEvents.map(\.committed))
        core.publish(batch.head)
        core.statistics.count(batch.newEvents.lazy.map(\.record))
    }

    /// - Returns: the number of headers in the log after the commit.
    private func write(_ batch: CommitBatch, storedHeaders: Int) throws -> Int {
        let store = try core.store()
        var transaction = try store.environment.beginWrite()
        var storedHeaders = storedHeaders
        for text in core.packer.headers.texts(from: storedHeaders) {
            let suffixed = DigestSuffixed.bytes(of: text)
            try transaction.put(suffixed.span.bytes, at: UInt64(storedHeaders), in: store.headers, .append)
            storedHeaders += 1
        }
        for event in batch.newEvents {
            let position = event.record.position
            try transaction.put(event.stored.span.bytes, at: position, in: store.records, .append)
            if event.record.evidenceLength > 0 {
                let packed = event.prepared.packedEvidence
                try transaction.put(packed.span.bytes, at: position, in: store.evidence, .append)
            }
        }
        for hash in batch.completedHashes {
            let bytes = hash.hash.bytes
            try transaction.put(bytes.span.bytes, at: hash.index, in: store.tree[hash.level - 1], .append)
        }
        let (key, head) = (MetaKey.head, batch.head.bytes)
        try transaction.put(head.span.bytes, at: key.span.bytes, in: store.meta)
        try transaction.commit()
        return storedHeaders
    }
}

/// The state from which the next batch continues.
struct WriterState {
    let edge: CompactRange
    let lastRecordedAt: Instant
    /// The number of headers in the log.
    let storedHeaders: Int
}
