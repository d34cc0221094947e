import LMDB
package import Primitives

/// The truth: an append-only log of events with their evidence, and the Merkle tree over it.
///
/// `append` answers when the commit is durable. Readers see everything acknowledged so far and nothing above it; they
/// run where the caller is, on a snapshot, and never wait for the writer.
package final class EventLog: Sendable {
    package struct Configuration: Sendable {
        /// The folder of the LMDB environment, which must exist.
        package var directory: String
        package var mapSizeBytes = 1 << 40
        package var groupCommitEvents = 2_000
        /// Every event of this opening is recorded after it.
        package var floor = Instant.earliest
        package var clock: @Sendable () -> Instant

        package init(directory: String, clock: @escaping @Sendable () -> Instant) {
            self.directory = directory
            self.clock = clock
        }
    }

    let core: LogCore
    private let writer: Writer?
    /// The name in checkpoints.
    package let origin: String

    /// Opens the log for the one process that writes; the caller holds the folder's lock.
    /// - Throws: `log_corrupt`, `version_unknown`, `io_error`, `disk_full`.
    package init(writing configuration: Configuration, origin: String?, follower: LogFollower) throws {
        let options = Self.options(configuration, readOnly: false)
        try LogStore.makeIfMissing(in: configuration.directory, options: options)
        core = try LogCore(directory: configuration.directory, options: options)
        let established = try Self.establishedOrigin(core)
        self.origin = origin ?? established
        let writer = Writer(core: core, configuration: configuration, follower: follower)
        try writer.start()
        self.writer = writer
    }

    /// Opens the log for reading beside whoever writes.
    package init(reading configuration: Configuration, origin: String?) throws {
        core = try LogCore(directory: configuration.directory, options: Self.options(configuration, readOnly: true))
        let established = try Self.establishedOrigin(core)
        self.origin = origin ?? established
        writer = nil
    }

    private static func options(_ configuration: Configuration, readOnly: Bool) -> Environment.Options {
        var options = Environment.Options()
        options.mapSizeBytes = configuration.mapSizeBytes
        options.readOnly = readOnly
        return options
    }

    /// Packs a draft's evidence: the costly part of an append, to be done wherever there is a core to spare.
    ///
    /// A draft that no record can hold is a programmer's error.
    package func prepare(_ draft: EventDraft) -> PreparedEvent {
        precondition(draft.fitsRecord, "the body of an event is too long")
        return PreparedEvent(
            draft, packedEvidence: draft.evidence.bytes.isEmpty ? [] : core.packer.pack(draft.evidence))
    }

    /// Appends events in one transaction, all or none, and answers each in its place once they are durable.
    ///
    /// - Throws: `busy` when the queue is full or the log is closing, `map_full`, `disk_full`, `io_error`: all may be
    ///   tried again, and what was appended after all is then a duplicate.
    package func append(_ events: [PreparedEvent]) async throws -> [Appended] {
        guard let writer else { preconditionFailure("a log opened for reading cannot be appended to") }
        guard !events.isEmpty else { return [] }
        let start = ContinuousClock.now
        defer { core.statistics.durations.observe(ContinuousClock.now - start) }
        return try await withCheckedThrowingContinuation { continuation in
            if !writer.queue.offer(AppendRequest(events: events, answer: continuation)) {
                continuation.resume(
                    throwing: EventLogError(.busy, "the writer's queue is full", hint: "Try again."))
            }
        }
    }

    deinit {
        // Whoever opened a log and could not go on with it leaves no thread behind that keeps the environment open.
        writer?.stop()
    }

    /// Finishes what waits and stops the writer. Appends are `busy` from then on.
    package func close() {
        writer?.stop()
    }

    /// Keeps every later event from being recorded at or before `instant`, so that what the log knew then is settled.
    /// Waits for the commit in progress.
    /// - Returns: the log size from which on this holds.
    /// - Throws: `busy` while the outcome of a commit is unknown; `io_error`.
    package func raiseFloor(to instant: Instant) throws -> UInt64 {
        guard let writer else { preconditionFailure("a log opened for reading has no floor") }
        return try writer.raiseFloor(to: instant)
    }

    /// Size and root of what is acknowledged. A reading process sees what the writing one has committed.
    package func head() throws -> TreeHead {
        guard writer == nil else { return core.head }
        let store = try core.store()
        return try reading { try store.head($0) }
    }

    func reading<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        do {
            return try core.store().environment.read(body)
        } catch let error as LMDBError {
            throw EventLogError(error, while: "the log was not read")
        }
    }
}

extension EventLog {
    /// The record at a position, nil beyond the head.
    package func record(at position: UInt64) throws -> Record? {
        guard try position < head().size else { return nil }
        let store = try core.store()
        return try reading { try store.record($0, at: position)?.record }
    }

    /// The verbatim evidence of an event, byte for byte; nil beyond the head, empty when the event has none.
    /// - Throws: `log_corrupt` when it does not come back with its digest.
    package func evidence(at position: UInt64) throws -> [UInt8]? {
        guard let record = try record(at: position) else { return nil }
        guard record.evidenceLength > 0 else { return [] }
        let store = try core.store()
        let packed = try reading { try store.packedEvidence($0, at: position) }
        if let packed, let bytes = unpack(packed, byteCount: Int(record.evidenceLength)),
            Digest.sha256(of: bytes) == record.evidenceDigest
        {
            return bytes
        }
        throw EventLogError(
            .logCorrupt, "the evidence at position \(position) does not come back",
            expected: "\(record.evidenceLength) bytes with SHA-256 \(record.evidenceDigest)", found: "other bytes",
            hint: "Run `subledger audit verify --deep`.")
    }

    /// Unpacks evidence; headers interned by the writer since this process opened the log are looked up anew.
    func unpack(_ packed: [UInt8], byteCount: Int) -> [UInt8]? {
        if let bytes = core.packer.unpack(packed, byteCount: byteCount) { return bytes }
        guard let store = try? core.store(), let texts = try? reading({ try store.headerTexts($0) }),
            texts.count > core.packer.headers.count
        else { return nil }
        return EvidencePacker(headers: HeaderTable(texts: texts)).unpack(packed, byteCount: byteCount)
    }

    /// Calls `body` with events from a position on, in order, in one snapshot of at most `limit` of them, so that no
    /// long reader keeps pages from being used again.
    ///
    /// - Returns: the position to go on from; equal to `position` when there is nothing more.
    /// - Throws: `log_corrupt` at the first event that does not come back, and what `body` throws.
    package func forEach(
        from position: UInt64, below end: UInt64, limit: Int = 4_096,
        _ body: (Record, _ evidence: [UInt8]) throws -> Void
    ) throws -> UInt64 {
        try forEachStored(from: position, below: end, limit: limit) { stored in
            guard let evidence = stored.evidence else {
                throw EventLogError(
                    .logCorrupt, "the evidence at position \(stored.record.record.position) does not come back")
            }
            try body(stored.record.record, evidence)
            return true
        }
    }

    /// The same over what is stored; `evidence` is nil where it does not come back. Ends early when `body` says false.
    func forEachStored(
        from position: UInt64, below end: UInt64, limit: Int, _ body: (StoredEvent) throws -> Bool
    ) throws -> UInt64 {
        let store = try core.store()
        let end = min(end, try head().size, position &+ UInt64(limit))
        guard position < end else { return position }
        return try reading { transaction in
            for position in position..<end {
                guard let record = try store.record(transaction, at: position) else {
                    throw EventLogError(
                        .logCorrupt, "there is no record at position \(position)",
                        hint: "Run `subledger audit verify --deep`.")
                }
                let length = Int(record.record.evidenceLength)
                var evidence: [UInt8]? = []
                if length > 0 {
                    let packed = try store.packedEvidence(transaction, at: position)
                    evidence = packed.flatMap { unpack($0, byteCount: length) }
                }
                guard try body(StoredEvent(record: record, evidence: evidence)) else { return position }
            }
            return end
        }
    }

    func storedHash(level: Int, index: UInt64) throws -> Digest {
        let store = try core.store()
        return try reading { try store.storedHash($0, level: level, index: index) }
    }
}

/// An event as it is stored, its evidence unpacked.
struct StoredEvent {
    let record: StoredRecord
    let evidence: [UInt8]?
}

extension EventLog {
    /// The name that was drawn when the log was made.
    private static func establishedOrigin(_ core: LogCore) throws -> String {
        let store = try core.store()
        do {
            let (layout, origin) = try store.environment.read { transaction in
                (try store.layoutVersion(transaction), try store.origin(transaction))
            }
            guard let layout, let origin else {
                throw EventLogError(
                    .logCorrupt, "the log lacks what every log has from its beginning",
                    expected: "a layout's version and an origin", found: "less",
                    hint: "Run `subledger audit verify --deep`.")
            }
            guard layout == LogStore.layoutVersion else {
                throw EventLogError(
                    .versionUnknown, "the log was written by another version", expected: "\(LogStore.layoutVersion)",
                    found: "\(layout)", hint: "Use the version that wrote it, or a later one.")
            }
            return origin
        } catch let error as LMDBError {
            throw EventLogError(error, while: "the log's origin was not read")
        }
    }
}

extension EventLog {
    /// How many events were recorded at or before an instant.
    /// - Complexity: O(log n) reads, since recordedAt never goes back.
    package func size(recordedUpTo instant: Instant) throws -> UInt64 {
        var (low, high) = (UInt64(0), try head().size)
        while low < high {
            let middle = low + (high - low) / 2
            guard let record = try record(at: middle), record.recordedAt <= instant else {
                high = middle
                continue
            }
            low = middle + 1
        }
        return low
    }
}

extension EventLog {
    /// Calls `body` with every record, without its evidence.
    package func forEachRecord(_ body: (Record) throws -> Void) throws {
        let store = try core.store()
        let size = try head().size
        for start in stride(from: 0, to: size, by: 65_536) {
            try reading { transaction in
                for position in start..<min(start + 65_536, size) {
                    if let stored = try store.record(transaction, at: position) { try body(stored.record) }
                }
            }
        }
    }

    package func mapSizeBytes() throws -> Int {
        do {
            return try core.store().environment.information().mapSizeBytes
        } catch let error as LMDBError {
            throw EventLogError(error, while: "the log was not examined")
        }
    }
}
