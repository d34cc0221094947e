import Dispatch
import EventLog
import FactStore
import Glibc
import LMDB
package import LedgerModel
import LedgerStorage
import Primitives
import Synchronization

/// The feed of transitions: a stored sequence with a row for every change of the answer about a subscription, caused by
/// an event or by time alone.
///
/// The same log and the same initial rules produce the same rows, byte for byte. A dedicated thread follows the log and
/// the clock; appends never wait for it.
package final class TransitionFeed: Sendable {
    /// The maximum number of events and due rows per transaction.
    private static let batch = 250
    /// The maximum interval between two checks of the clock. A new event shortens it.
    private static let interval = DispatchTimeInterval.milliseconds(250)
    /// The number of events from which an empty feed is built at once.
    private static let rebuiltCount: Position = 2_048
    /// The pause before a transaction, so that it includes the events of several callers.
    private static let pauseMicroseconds: UInt32 = 20_000
    /// The nice value of the thread. Threads that answer callers have priority.
    private static let priority: Int32 = 10

    private let folder: Folder
    private let mapSizeBytes: Int
    let store: RecoverableEnvironment<TransitionStore>
    let sequence: Digest
    private let writer: LogWriter
    let log: LogReader
    let facts: FactIndex
    let vault: VaultReader?
    private let rules: ActiveRules
    let clock: @Sendable () -> Instant
    /// Held while rows are appended.
    private let making = Mutex<Void>(())
    private let wake = DispatchSemaphore(value: 0)
    private let state: Mutex<State>

    private struct State {
        /// The number of processed events.
        var position: Position = 0
        var thread: DedicatedThread?
        var heads: Task<Void, Never>?
        var isClosing = false
        /// The number of callers waiting for rows.
        var waiting = 0
        var failure: String?
        /// The last attempt to build the feed, if it failed, and the end of the delay after it.
        var rebuildFailure: (error: any Error, delay: Duration, end: ContinuousClock.Instant)?
        var observers: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var observerCount: UInt64 = 0
    }

    /// Creates the feed. Rebuilds it when it is missing, damaged, or belongs to another log or other initial rules.
    init(of ledger: LedgerWriter) throws {
        let configuration = ledger.configuration
        let directory = configuration.folder.transitions
        let (writer, log) = (ledger.log, ledger.log.reader)
        // The remains of a rebuild that was killed.
        for folder in [Self.building(directory), Folder(directory).replaced] where folder.exists {
            try? folder.remove()
        }
        let sequence = TransitionStore.sequence(origin: log.origin, rules: configuration.rules)
        store = try RecoverableEnvironment("derived/transitions/") {
            try TransitionStore.open(directory, mapSizeBytes: configuration.mapSizeBytes, sequence: sequence) {
                try $0.isOf(log)
            }
        }
        (folder, mapSizeBytes) = (Folder(directory), configuration.mapSizeBytes)
        self.sequence = sequence
        (self.writer, self.log) = (writer, log)
        (facts, vault, rules) = (ledger.reader.facts, ledger.reader.vault, ledger.reader.activeRules)
        clock = configuration.clock
        state = Mutex(State())
        ledger.reader.sharedTransitions.withLock { [store] in $0 = store }
    }

    /// Returns the instant up to which due rows were appended; nil without a feed.
    static func timeProcessed(in configuration: Ledger.Configuration) -> Instant? {
        TransitionStore.timeProcessed(
            in: configuration.folder.transitions, mapSizeBytes: configuration.mapSizeBytes)
    }
}

extension TransitionStore.Progress {
    /// Whether the log contains the last processed event.
    func isOf(_ log: LogReader) throws -> Bool {
        if position == 0 { return true }
        return try log.record(at: position - 1)?.idempotencyKey.value == idempotencyKey
    }
}

extension TransitionFeed {
    /// Starts the thread that follows the log and the clock.
    func start() throws {
        let thread = try DedicatedThread { self.followUntilClosed() }
        let heads = writer.heads()
        state.withLock { state in
            state.thread = thread
            state.heads = Task { [wake] in for await _ in heads { wake.signal() } }
        }
    }

    /// Finishes the current transaction and stops the thread.
    func close() {
        let (thread, heads, observers) = state.withLock { state in
            state.isClosing = true
            return (state.thread.take(), state.heads.take(), state.observers)
        }
        // Outside the lock: the termination handler of an observer acquires it.
        for observer in observers.values { observer.finish() }
        heads?.cancel()
        wake.signal()
        thread?.join()
    }

    private func followUntilClosed() {
        // On Linux, the priority applies to the calling thread only.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.priority)
        while true {
            _ = wake.wait(timeout: .now() + Self.interval)
            if !state.withLock({ $0.waiting > 0 || $0.isClosing }) { usleep(Self.pauseMicroseconds) }
            while wake.wait(timeout: .now()) == .success {}
            if state.withLock({ $0.isClosing }) { return }
            do {
                try advance()
                state.withLock { $0.failure = nil }
            } catch {
                state.withLock { $0.failure = "\(error)" }
            }
        }
    }

    /// Appends every row that is due according to the log and the clock.
    /// - Throws: `StorageError`; rows already appended remain.
    package func advance() throws {
        try making.withLock { _ in
            while !state.withLock({ $0.isClosing }), try advanceOnce() {}
        }
    }

    /// - Returns: whether more rows may be due.
    private func advanceOnce() throws -> Bool {
        let store = try store.currentOrReopened()
        guard var progress = try store.environment.read({ try store.progress($0) }) else { return false }
        state.withLock { [position = progress.position] in $0.position = position }
        guard !facts.isCatchingUp else { return false }
        let size = try log.size()
        if facts.size < size { try facts.catchUp(with: log) }
        if progress.position == 0, size >= Self.rebuiltCount {
            try rebuildUnlessDelayed()
            return true
        }
        var time = progress.timeProcessed
        if progress.position == size {
            let due = try store.environment.read { try store.lastDue(by: clock(), limit: Self.batch, $0) }
            guard let due else { return false }
            // Events recorded up to that instant are processed first, and no later event may be recorded at or before
            // it.
            guard try writer.raiseFloor(to: due) == size else { return true }
            time = due
        }
        let before = progress
        progress.timeProcessed = time
        try append(&progress, below: size, to: store)
        guard progress != before else { return false }
        announce(progress, hasRows: progress.rowCount > before.rowCount)
        return true
    }

    /// Appends the rows of the next events and the due rows, in one transaction.
    private func append(
        _ progress: inout TransitionStore.Progress, below size: Position, to store: TransitionStore
    ) throws {
        do {
            try store.environment.write { transaction in
                try builder(store).advance(
                    &progress, below: size, through: progress.timeProcessed, limit: Self.batch, &transaction)
                if progress.position > 0 {
                    progress.idempotencyKey = try log.record(at: progress.position - 1)?.idempotencyKey.value ?? 0
                }
                try store.store(progress, &transaction)
            }
        } catch let error as LMDBError {
            if !StorageError.isNoRoom(error) { try self.store.reopen() }
            throw StorageError(error, while: "storing the transitions failed")
        }
    }

    private func announce(_ progress: TransitionStore.Progress, hasRows: Bool) {
        let observers = state.withLock { state in
            state.position = progress.position
            return hasRows ? Array(state.observers.values) : []
        }
        // Outside the lock: a yield waits for a cancellation of the observer's task that is in progress, which calls the
        // termination handler, which acquires the lock.
        for observer in observers { observer.yield() }
    }

    /// Replaces the feed by one built from all events at once. The old one answers meanwhile.
    /// - Throws: `StorageError`; `CancellationError` when the feed closes. The old feed then stays.
    package func rebuild() throws {
        try making.withLock { _ in
            if facts.size < (try log.size()) { try facts.catchUp(with: log) }
            try rebuildAll()
        }
    }

    /// Removes the owners that only these tokens name from all rows.
    func forget(_ tokens: Set<AppAccountToken>) throws {
        try making.withLock { _ in
            let opened = try store.currentOrReopened().environment
            try TransitionStore.forget(tokens, in: folder.path, mapSizeBytes: mapSizeBytes, from: opened)
            if !tokens.isEmpty { try store.openReplacement() }
        }
    }

    private static func building(_ directory: String) -> Folder { Folder(directory + ".building") }

    /// Rebuilds the feed. After a failure it waits before the next attempt, each time twice as long.
    private func rebuildUnlessDelayed() throws {
        if let failure = state.withLock({ $0.rebuildFailure }), ContinuousClock.now < failure.end {
            throw failure.error
        }
        do {
            try rebuildAll()
            state.withLock { $0.rebuildFailure = nil }
        } catch {
            state.withLock { state in
                let delay = min((state.rebuildFailure?.delay ?? .milliseconds(500)) * 2, .seconds(300))
                state.rebuildFailure = (error, delay, .now + delay)
            }
            throw error
        }
    }

    private func rebuildAll() throws {
        let building = Self.building(folder.path)
        if building.exists { try building.remove() }
        try building.create()
        // Files of a failed build must not take the room of the log.
        defer { try? building.remove() }
        let current = try store.currentOrReopened()
        let rebuild = TransitionRebuild(
            facts: facts, log: log, rules: rules, sequence: sequence, mapSizeBytes: mapSizeBytes,
            timeProcessed: try current.environment.read { try current.progress($0)?.timeProcessed } ?? .earliest,
            folder: building
        ) { self.state.withLock { $0.isClosing } }
        do {
            try rebuild.run()
        } catch let error as LMDBError {
            throw StorageError(error, while: "storing the transitions failed")
        }
        try building.replace(folder)
        try store.reopen()
        // Outside the lock, like every yield.
        for observer in state.withLock({ Array($0.observers.values) }) { observer.yield() }
    }

    private func builder(_ store: TransitionStore) -> TransitionBuilder {
        TransitionBuilder(facts: facts, store: store, rules: rules)
    }

    /// Returns the number of statuses that Apple signed and that differ from the fold at their signedDate, among the
    /// processed events.
    /// - Throws: `log_corrupt`, `io_error`.
    package func disagreementCount() throws -> UInt64 {
        let store = try store.current()
        do {
            return try store.environment.read { try store.progress($0)?.disagreements ?? 0 }
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the transitions failed")
        }
    }

    /// The reason that the last attempt to append rows failed; nil after a success.
    package var failure: String? { state.withLock { $0.failure } }
}

extension TransitionFeed {
    /// Waits until `size` events are processed, for at most `patience`.
    package func waitUntilProcessed(_ size: Position, patience: Duration) async throws {
        state.withLock { $0.waiting += 1 }
        defer { state.withLock { $0.waiting -= 1 } }
        wake.signal()
        let deadline = ContinuousClock.now + patience
        while state.withLock({ $0.position < size && !$0.isClosing }), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Returns a stream that yields after rows are appended. A slow consumer receives one element for several rows.
    package func news() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = state.withLock { state in
            guard !state.isClosing else { return nil }
            state.observerCount += 1
            state.observers[state.observerCount] = continuation
            return state.observerCount
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: id) }
        }
        return stream
    }
}
