import Dispatch
import EventLog
import Glibc
import LMDB
package import LedgerModel
import Primitives
import ProjectionRuntime
import Synchronization

/// The feed of transitions: a stored sequence with a row for every change of the answer about a subscription, caused by
/// an event or by time alone.
///
/// The same log under the same rules gives the same rows, byte for byte. A dedicated thread follows the log and the
/// clock; appends never wait for it.
package final class TransitionFeed: Sendable {
    /// The number of events and due rows that one transaction processes at most.
    private static let batch = 250
    /// The longest time between two looks at the clock; a new event shortens it.
    private static let interval = DispatchTimeInterval.milliseconds(250)
    /// The pause before a transaction, so that it covers the events of several callers.
    private static let pauseMicroseconds: UInt32 = 20_000
    /// The nice value of the thread, so that threads that answer callers go first.
    private static let priority: Int32 = 10

    let store: Reopenable<TransitionStore>
    let sequence: Digest
    let log: EventLog
    let derived: Derived
    let vault: Vault?
    private let rules: Rules
    private let clock: @Sendable () -> Instant
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
        /// The number of callers that wait for rows.
        var waiting = 0
        var failure: String?
        var observers: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var observerCount: UInt64 = 0
    }

    /// Opens the feed. Rebuilds it when it is missing, damaged, or belongs to another log or other rules.
    init(of ledger: Ledger) throws {
        let configuration = ledger.configuration
        let directory = configuration.folder.transitions
        let sequence = TransitionStore.sequence(origin: ledger.log.origin, rules: configuration.rules)
        let log = ledger.log
        store = try Reopenable("derived/transitions/") {
            try TransitionStore.open(directory, mapSizeBytes: configuration.mapSizeBytes, sequence: sequence) {
                try $0.isOf(log)
            }
        }
        self.sequence = sequence
        (self.log, derived, vault, rules) = (log, ledger.derived, ledger.vault, configuration.rules)
        clock = configuration.clock
        state = Mutex(State())
    }

    /// The instant up to which due rows were appended; nil without a feed.
    static func timeProcessed(in configuration: Ledger.Configuration) -> Instant? {
        TransitionStore.timeProcessed(
            in: configuration.folder.transitions, mapSizeBytes: configuration.mapSizeBytes)
    }
}

extension TransitionStore.Progress {
    /// Whether the log contains the processed events.
    fileprivate func isOf(_ log: EventLog) throws -> Bool {
        if position == 0 { return true }
        return try log.record(at: position - 1)?.identity.value == identity
    }
}

extension TransitionFeed {
    /// Starts the thread that follows the log and the clock.
    func start() throws {
        let thread = try DedicatedThread { self.followUntilClosed() }
        let heads = log.heads()
        state.withLock { state in
            state.thread = thread
            state.heads = Task { [wake] in for await _ in heads { wake.signal() } }
        }
    }

    /// Finishes the current transaction and stops.
    func close() {
        let (thread, heads, observers) = state.withLock { state in
            state.isClosing = true
            return (state.thread.take(), state.heads.take(), state.observers)
        }
        // Outside the lock: the termination handler of an observer takes it.
        for observer in observers.values { observer.finish() }
        heads?.cancel()
        wake.signal()
        thread?.join()
    }

    private func followUntilClosed() {
        // On Linux the priority is that of the calling thread alone.
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

    /// Appends every row that the log and the clock give so far.
    /// - Throws: `EventLogError`; rows already appended stay.
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
        let size = try log.head().size
        if derived.size < size { try derived.catchUp(with: log) }
        var time = progress.timeProcessed
        if progress.position == size {
            let due = try store.environment.read { try store.lastDue(by: clock(), limit: Self.batch, $0) }
            guard let due else { return false }
            // An event recorded up to that instant goes first, and no later event may be recorded before it.
            guard try log.raiseFloor(to: due) == size else { return true }
            time = due
        }
        let before = progress
        progress.timeProcessed = time
        do {
            try store.environment.write { transaction in
                try builder(store).advance(&progress, below: size, through: time, limit: Self.batch, &transaction)
                if progress.position > 0 {
                    progress.identity = try log.record(at: progress.position - 1)?.identity.value ?? 0
                }
                try store.store(progress, &transaction)
            }
        } catch let error as LMDBError {
            if !EventLogError.isNoRoom(error) { try self.store.reopen() }
            throw EventLogError(error, while: "the transitions were not stored")
        }
        guard progress != before else { return false }
        state.withLock { [progress] state in
            state.position = progress.position
            guard progress.rowCount > before.rowCount else { return }
            for observer in state.observers.values { observer.yield() }
        }
        return true
    }

    private func builder(_ store: TransitionStore) -> TransitionBuilder {
        TransitionBuilder(derived: derived, store: store, rules: rules)
    }

    /// Returns the number of statuses that Apple signed and that differ from the fold at their signedDate, among the
    /// processed events.
    /// - Throws: `log_corrupt`, `io_error`.
    package func disagreementCount() throws -> UInt64 {
        let store = try store.current()
        do {
            return try store.environment.read { try store.progress($0)?.disagreements ?? 0 }
        } catch let error as LMDBError {
            throw EventLogError(error, while: "the transitions were not read")
        }
    }

    /// The reason that the last attempt to append rows failed; nil after a success.
    package var failure: String? { state.withLock { $0.failure } }
}

extension TransitionFeed {
    /// Waits until `size` events are processed, at most for `patience`.
    package func waitUntilProcessed(_ size: Position, patience: Duration) async throws {
        state.withLock { $0.waiting += 1 }
        defer { state.withLock { $0.waiting -= 1 } }
        wake.signal()
        let deadline = ContinuousClock.now + patience
        while state.withLock({ $0.position < size && !$0.isClosing }), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// A stream with an element whenever rows are appended; a slow reader gets one element for several rows.
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
