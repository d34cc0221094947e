import LMDB
import Primitives
import Synchronization

/// The one thread that changes the log.
///
/// It takes what waits, as a group of up to `groupCommitEvents` events or 16 MiB, writes it in one transaction, and
/// answers every caller once, after the sync. When there was no room, nothing of the group is in the log and the
/// callers may try again. After any other failed commit the outcome is unknown: the environment is closed and opened
/// again, and the identities settle the retries; no failed sync is repeated.
final class Writer: Sendable {
    static let groupByteLimit = 16 * 1_024 * 1_024
    /// For how much of the last commit's duration those it answered are waited for, and how long at most.
    private static let patienceShare = 0.25
    private static let patienceLimit = Duration.milliseconds(10)

    let queue = WriterQueue()
    private let core: LogCore
    private let configuration: EventLog.Configuration
    private let follower: LogFollower
    private let thread = Mutex<DedicatedThread?>(nil)
    /// The instant after which every further event is recorded. Held from the moment a group gets its time until its
    /// commit is published.
    private let floor: Mutex<Instant>

    init(core: LogCore, configuration: EventLog.Configuration, follower: LogFollower) {
        self.core = core
        self.configuration = configuration
        self.follower = follower
        floor = Mutex(configuration.floor)
    }

    func start() throws(EventLogError) {
        let started = try DedicatedThread { self.run() }
        thread.withLock { $0 = started }
    }

    /// Lets the writer finish what waits, and waits for it.
    func stop() {
        queue.close()
        thread.withLock { $0.take() }?.join()
    }

    /// Keeps every later event from being recorded at or before `instant`. Waits for the commit in progress.
    /// - Returns: the size from which on this holds.
    /// - Throws: `busy` while the outcome of a commit is unknown.
    func raiseFloor(to instant: Instant) throws -> UInt64 {
        try floor.withLock { floor in
            floor = max(floor, instant)
            return try core.settledHead().size
        }
    }

    private func run() {
        // Nil until the log has told it, and again after a commit whose outcome is unknown.
        var state: WriterState?
        while let group = queue.takeGroup(
            eventLimit: configuration.groupCommitEvents, byteLimit: Self.groupByteLimit)
        {
            do {
                // Taken out to be changed in place: its memory of identities is far larger than a group.
                var current = try state.take() ?? stateOfLog()
                defer { if !current.isOutdated { state = current } }
                let start = ContinuousClock.now
                let answers = try commit(group, &current)
                let duration = ContinuousClock.now - start
                let waiting = queue.count
                for (request, answer) in zip(group, answers) { request.answer.resume(returning: answer) }
                // Who was answered may come again, and joins who waits already: else those who append again and again
                // would part into two groups, each waiting for the other's sync.
                queue.wait(
                    forRequests: waiting + group.count, eventLimit: configuration.groupCommitEvents,
                    byteLimit: Self.groupByteLimit, patience: min(duration * Self.patienceShare, Self.patienceLimit))
            } catch {
                let failure = (error as? EventLogError) ?? EventLogError(.ioError, "\(error)")
                for request in group { request.answer.resume(throwing: failure) }
            }
        }
    }

    private func stateOfLog() throws -> WriterState {
        try core.ensureOpen()
        return try core.writerState(recent: follower.unappliedIdentities())
    }

    private func commit(_ group: [AppendRequest], _ state: inout WriterState) throws -> [[Appended]] {
        let stored = try follower.storedIdentities(group.flatMap(\.identities))
        let now = configuration.clock()
        return try floor.withLock { floor in
            let recordedAt = max(now, state.lastRecordedAt, floor.advanced(byMilliseconds: 1))
            return try commit(group, &state, stored: stored, recordedAt: recordedAt)
        }
    }

    private func commit(
        _ group: [AppendRequest], _ state: inout WriterState, stored: [Identity: UInt64], recordedAt: Instant
    ) throws -> [[Appended]] {
        let plan = GroupPlan(group, after: state.edge, recordedAt: recordedAt) { identity in
            // Of a UUID the memory may know a repeat only, whose first event is stored.
            [stored[identity], state.recent[identity]].compactMap(\.self).min()
        }
        guard !plan.newEvents.isEmpty else { return plan.answers }
        do {
            state.storedHeaders = try write(plan, storedHeaders: state.storedHeaders)
        } catch let error as LMDBError {
            if !EventLogError.isNoRoom(error) {
                state.isOutdated = true
                try core.reopen()
            }
            throw EventLogError(error, while: "the group was not committed")
        }
        state.advance(by: plan, recordedAt: recordedAt)
        // Before the head: whoever sees the new one finds what its events say.
        follower.committed(plan.newEvents.map { CommittedEvent(record: $0.record, prepared: $0.prepared) })
        core.publish(plan.head)
        core.statistics.count(plan.newEvents.lazy.map(\.record))
        state.forget(below: follower.appliedSize())
        return plan.answers
    }

    /// - Returns: how many headers are stored by then.
    private func write(_ plan: GroupPlan, storedHeaders: Int) throws -> Int {
        let store = try core.store()
        var transaction = try store.environment.beginWrite()
        var storedHeaders = storedHeaders
        for text in core.packer.headers.texts(from: storedHeaders) {
            let sealed = Sealed.bytes(of: text)
            try transaction.put(sealed.span.bytes, at: UInt64(storedHeaders), in: store.headers, .append)
            storedHeaders += 1
        }
        for event in plan.newEvents {
            let position = event.record.position
            try transaction.put(event.stored.span.bytes, at: position, in: store.records, .append)
            if event.record.evidenceLength > 0 {
                let packed = event.prepared.packedEvidence
                try transaction.put(packed.span.bytes, at: position, in: store.evidence, .append)
            }
        }
        for hash in plan.completedHashes {
            let bytes = hash.hash.bytes
            try transaction.put(bytes.span.bytes, at: hash.index, in: store.tree[hash.level - 1], .append)
        }
        let head = plan.head.bytes
        try transaction.put(head.span.bytes, at: MetaKey.head.span.bytes, in: store.meta)
        try transaction.commit()
        return storedHeaders
    }
}

/// What the writer knows of the log between groups.
struct WriterState {
    var edge: RightEdge
    var lastRecordedAt: Instant
    var storedHeaders: Int
    /// Whether the log may hold more than is known here.
    var isOutdated = false
    /// Identities whose events the derived store has not applied yet, asked before it.
    var recent: [Identity: UInt64]
    private var remembered: [(position: UInt64, identity: Identity)] = []
    private var forgotten = 0

    init(edge: RightEdge, lastRecordedAt: Instant, storedHeaders: Int, recent: [(Identity, UInt64)]) {
        self.edge = edge
        self.lastRecordedAt = lastRecordedAt
        self.storedHeaders = storedHeaders
        self.recent = [:]
        for (identity, position) in recent where self.recent[identity] == nil {
            self.recent[identity] = position
            remembered.append((position, identity))
        }
    }

    mutating func advance(by plan: GroupPlan, recordedAt: Instant) {
        edge = plan.edge
        lastRecordedAt = recordedAt
        for (identity, position) in plan.identities {
            recent[identity] = position
            remembered.append((position, identity))
        }
    }

    /// Drops what the derived store answers by now.
    mutating func forget(below size: UInt64) {
        while forgotten < remembered.count, remembered[forgotten].position < size {
            recent[remembered[forgotten].identity] = nil
            forgotten += 1
        }
        if forgotten > 65_536, forgotten > remembered.count / 2 {
            remembered.removeFirst(forgotten)
            forgotten = 0
        }
    }
}
