import Dispatch
import EventLog
import Glibc
import LMDB
package import LedgerModel
import Primitives
import ProjectionRuntime
import Synchronization

/// The feed of transitions: a stored sequence with a row whenever the answer about a subscription changes, through an
/// event or through time alone.
///
/// The same log under the same rules gives the same rows, byte for byte. A thread of its own follows the log and the
/// clock; it never holds up an append.
package final class TransitionFeed: Sendable {
    /// Events and instants that one transaction processes.
    private static let batch = 250
    /// The clock is looked at this often, and more often when the log moves.
    private static let interval = DispatchTimeInterval.milliseconds(250)
    /// So that one commit serves the events of many.
    private static let pauseMicroseconds: UInt32 = 20_000
    /// Below that of the threads that answer callers.
    private static let priority: Int32 = 10

    let store: Reopenable<TransitionStore>
    let sequence: Digest
    let log: EventLog
    let derived: Derived
    let vault: Vault?
    private let rules: Rules
    private let clock: @Sendable () -> Instant
    /// Held while rows are made.
    private let making = Mutex<Void>(())
    private let wake = DispatchSemaphore(value: 0)
    private let state: Mutex<State>

    private struct State {
        /// Every event below is processed.
        var position: Position = 0
        var thread: DedicatedThread?
        var heads: Task<Void, Never>?
        var isClosing = false
        /// Callers that wait for rows.
        var waiting = 0
        var failure: String?
        var observers: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var observerCount: UInt64 = 0
    }

    /// Opens the feed and makes it again where it is missing, damaged, or of another log or other rules.
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

    /// Time has made rows up to it that readers may have; nil where there is no feed.
    static func timeProcessed(in configuration: Ledger.Configuration) -> Instant? {
        TransitionStore.timeProcessed(
            in: configuration.folder.transitions, mapSizeBytes: configuration.mapSizeBytes)
    }
}

extension TransitionStore.Progress {
    /// Whether the log has the events that are processed.
    fileprivate func isOf(_ log: EventLog) throws -> Bool {
        if position == 0 { return true }
        return try log.record(at: position - 1)?.identity.value == identity
    }
}

extension TransitionFeed {
    /// Starts to follow the log and the clock.
    func start() throws {
        let thread = try DedicatedThread { self.followUntilClosed() }
        let heads = log.heads()
        state.withLock { state in
            state.thread = thread
            state.heads = Task { [wake] in for await _ in heads { wake.signal() } }
        }
    }

    /// Ends the transaction at work, and stops.
    func close() {
        let (thread, heads, observers) = state.withLock { state in
            state.isClosing = true
            return (state.thread.take(), state.heads.take(), state.observers)
        }
        // Outside the lock, which their termination takes.
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

    /// Makes every row that the log and the clock give so far.
    /// - Throws: `EventLogError`; what is made stays.
    package func advance() throws {
        try making.withLock { _ in
            while !state.withLock({ $0.isClosing }), try advanceOnce() {}
        }
    }

    /// - Returns: whether there may be more.
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
            // An event recorded up to then comes first, and none follows.
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

    /// The number of statuses that Apple signed and that the fold at their signedDate differs from, as far as the feed
    /// is made.
    /// - Throws: `log_corrupt`, `io_error`.
    package func disagreementCount() throws -> UInt64 {
        let store = try store.current()
        do {
            return try store.environment.read { try store.progress($0)?.disagreements ?? 0 }
        } catch let error as LMDBError {
            throw EventLogError(error, while: "the transitions were not read")
        }
    }

    /// The reason why no rows are made, if that fails.
    package var failure: String? { state.withLock { $0.failure } }
}

extension TransitionFeed {
    /// Waits until the events below `size` are processed, for `patience` at most.
    package func waitUntilProcessed(_ size: Position, patience: Duration) async throws {
        state.withLock { $0.waiting += 1 }
        defer { state.withLock { $0.waiting -= 1 } }
        wake.signal()
        let deadline = ContinuousClock.now + patience
        while state.withLock({ $0.position < size && !$0.isClosing }), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// An element whenever there are new rows; of several that a slow reader has not taken it gets one.
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
