import LedgerStorage
package import Primitives
import Synchronization
package import TransparencyLog

/// Writes the log, for the only process that holds the folder's lock.
///
/// `append` returns when the commit is durable.
package final class LogWriter: Sendable {
    package struct Configuration: Sendable {
        package var log: LogConfiguration
        /// The folder of the duplicate index's environment, which must exist.
        package var duplicateIndex: String
        package var groupCommitEvents = 2_000
        /// The instant after which every event of this opening is recorded.
        package var floor = Instant.earliest
        /// The name in checkpoints; nil for the name stored in the log.
        package var origin: String?
        package var clock: @Sendable () -> Instant

        package init(
            log: LogConfiguration, duplicateIndex: String, clock: @escaping @Sendable () -> Instant
        ) {
            self.log = log
            self.duplicateIndex = duplicateIndex
            self.clock = clock
        }
    }

    package let reader: LogReader
    let core: LogCore
    let directory: String
    private let duplicates: DuplicateIndex
    let writer: Writer

    /// Opens the log. Creates it when there is none.
    /// - Parameter observer: receives the events of each commit, on the writer's thread, before callers are answered.
    /// - Throws: `log_corrupt`, `version_unknown`, `io_error`, `disk_full`.
    package init(_ configuration: Configuration, observer: @escaping CommitObserver) throws {
        let options = configuration.log.options(readOnly: false)
        directory = configuration.log.directory
        try LogStore.makeIfMissing(in: configuration.log.directory, options: options)
        core = try LogCore(directory: configuration.log.directory, options: options)
        reader = try LogReader(core, origin: configuration.origin)
        duplicates = try DuplicateIndex(
            directory: configuration.duplicateIndex, mapSizeBytes: configuration.log.mapSizeBytes)
        try duplicates.requireNoMore(than: reader)
        writer = Writer(reader, duplicates, configuration, observer)
        try duplicates.start()
        do {
            try writer.start()
        } catch {
            duplicates.close()
            throw error
        }
    }

    /// Packs a draft's evidence, the expensive part of an append. Calls may run in parallel.
    /// - Precondition: `draft.fitsRecord`.
    package func prepare(_ draft: EventDraft) -> PreparedEvent { prepare(draft, ifRepeated: nil) }

    /// Packs a draft's evidence.
    /// - Parameter other: the event that the caller appends when this one is in the log already.
    /// - Precondition: `draft.fitsRecord`.
    package func prepare(_ draft: EventDraft, ifRepeated other: PreparedEvent?) -> PreparedEvent {
        precondition(draft.fitsRecord, "the event body is too large")
        return PreparedEvent(
            draft, packedEvidence: draft.evidence.bytes.isEmpty ? [] : core.packer.pack(draft.evidence),
            ifRepeated: other)
    }

    /// Appends events in one transaction, all or none. Returns the result of each, in order, once they are durable.
    ///
    /// - Throws: `busy` when the queue is full or paused, the duplicate index is too far behind or the log is closing;
    ///   `map_full`, `disk_full`, `io_error`. All may be retried; events that were appended nevertheless are then
    ///   duplicates.
    package func append(_ events: [PreparedEvent]) async throws -> [AppendResult] {
        guard !events.isEmpty else { return [] }
        guard !duplicates.isFull else {
            throw StorageError(
                .busy, "the duplicate index lags too far behind", expected: "an up-to-date index",
                found: duplicates.failure ?? "\(duplicates.lag) events behind", hint: "Try again.")
        }
        let start = ContinuousClock.now
        defer { core.statistics.durations.observe(ContinuousClock.now - start) }
        return try await request(events)
    }

    /// - Parameter isOfPause: whether the caller has paused the writer.
    func request(_ events: [PreparedEvent], isOfPause: Bool = false) async throws -> [AppendResult] {
        try await withCheckedThrowingContinuation { continuation in
            if !writer.queue.offer(AppendRequest(events: events, answer: continuation), isOfPause: isOfPause) {
                let reason = writer.queue.isPaused ? "evidence is being erased" : "the write queue is full"
                continuation.resume(throwing: StorageError(.busy, reason, hint: "Try again."))
            }
        }
    }

    /// Returns the position of the first event with the same notification as a prepared event, in any signature; for an
    /// event of another kind, of the first with the same idempotency key. Nil when there is none.
    /// - Throws: `StorageError`; a retryable one when the queue is full or the log is closing.
    package func firstPosition(of event: PreparedEvent) async throws -> UInt64? {
        let key = event.notificationKey ?? event.record.idempotencyKey
        // After a crash, the writer adds the keys of the last events to the index at its first request.
        if try duplicates.isBehind(reader) { _ = try await request([]) }
        return try duplicates.firstPositions(of: [key])[key]
    }

    deinit {
        close()
    }

    /// Finishes the queued appends and stops the writer. Appends are `busy` from then on.
    package func close() {
        writer.stop()
        duplicates.close()
    }

    /// Stores the duplicate index's keys that are in memory.
    package func storeKeys() throws { try duplicates.storeAll() }

    /// Ensures that every later event is recorded after `instant`, so that the log's knowledge at `instant` is final.
    /// Waits for the commit in progress.
    /// - Returns: the log size from which on this applies.
    /// - Throws: `busy` while the outcome of a commit is unknown; `io_error`.
    package func raiseFloor(to instant: Instant) throws -> UInt64 {
        try writer.raiseFloor(to: instant)
    }

    /// The statistics of the appends of this process.
    package var statistics: AppendStatistics { core.statistics }

    /// Returns a stream of heads. A slow consumer receives only the newest.
    package func heads() -> AsyncStream<TreeHead> {
        core.observers.heads()
    }
}
