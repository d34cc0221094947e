import Dispatch
import Glibc
import LMDB
import LedgerStorage
import Primitives
import Synchronization
package import TransparencyLog

/// Verifies the whole log: records, leaf hashes, the tree and its stored nodes, the head, and evidence byte for byte.
///
/// Several threads examine the events, each a range of them.
package struct LogAudit: Sendable {
    /// An additional check of an event. Several threads call it, in any order.
    package typealias EventCheck = @Sendable (Record, EventEvidence) throws -> Result<Void, EventProblem>

    package struct EventProblem: Error, Sendable {
        package let what: String
        package init(what: String) { self.what = what }
    }

    package struct Report: Hashable, Sendable {
        /// The number of sound events.
        package var events: UInt64
        /// The sound events by the reason to trust them.
        package var counts = TrustCounts()
        /// The number of sound events whose evidence was erased.
        package var erased: UInt64 = 0
        package var firstBad: LogFinding?

        package init(events: UInt64 = 0) {
            self.events = events
        }
    }

    private let log: LogReader
    private let head: TreeHead?
    private let identities: IdentityAudit?
    private let check: EventCheck
    private let progress: @Sendable (UInt64) -> Void

    /// - Parameters:
    ///   - head: the events to verify; nil for all.
    ///   - identities: receives the keys of every event.
    ///   - check: called with every event and its evidence.
    ///   - progress: called before each batch with the position reached.
    package init(
        _ log: LogReader, head: TreeHead? = nil, identities: IdentityAudit? = nil, check: @escaping EventCheck,
        progress: @escaping @Sendable (UInt64) -> Void
    ) {
        self.log = log
        self.head = head
        self.identities = identities
        self.check = check
        self.progress = progress
    }

    /// - Throws: only when the log cannot be read at all. The report contains the first fault.
    package func run() throws -> Report {
        var report = Report()
        var sequence = Sequence()
        let head = try head ?? log.head()
        while report.events < head.size, report.firstBad == nil {
            progress(report.events)
            for part in try examine(from: report.events, below: head.size) where report.firstBad == nil {
                try add(part, to: &sequence, &report)
            }
        }
        guard report.firstBad == nil else { return report }
        guard sequence.edge.size == head.size, sequence.edge.root == head.root else {
            report.firstBad = .structure(
                what: "the tree head has \(head.size) events, root \(head.root); the events have root "
                    + "\(sequence.edge.root)")
            return report
        }
        do {
            report.firstBad = try Self.miscount(in: log, after: head.size, sequence.evidenceCount)
        } catch let error as StorageError where error.code == .logCorrupt {
            report.firstBad = .structure(what: error.message)
        }
        return report
    }

    /// The state of the verification after some events.
    private struct Sequence {
        var edge = CompactRange()
        var last = Instant.earliest
        var evidenceCount = 0
    }

    /// Adds examined events, up to the first fault.
    private func add(_ part: ExaminedEvents, to sequence: inout Sequence, _ report: inout Report) throws {
        for event in part.events {
            if let fault = try fault(of: event, after: &sequence) {
                report.firstBad = .event(position: report.events, what: fault)
                return
            }
            report.counts.add(event.trust, event.flags)
            report.erased += event.isErased ? 1 : 0
            report.events += 1
        }
        report.firstBad = part.fault.map { .event(position: report.events, what: $0) }
    }

    /// Returns the fault of an event in its place: an earlier time, or a stored tree node that differs.
    private func fault(of event: ExaminedEvents.Event, after sequence: inout Sequence) throws -> String? {
        guard event.recordedAt >= sequence.last else { return "recordedAt is earlier than in the previous event" }
        sequence.last = event.recordedAt
        sequence.evidenceCount += event.hasEvidence ? 1 : 0
        var completed: [StoredHash] = []
        sequence.edge.append(event.leafHash, completed: &completed)
        do {
            for hash in completed where try log.storedHash(level: hash.level, index: hash.index) != hash.hash {
                return "the stored tree node at level \(hash.level), index \(hash.index) does not match its children"
            }
        } catch let error as StorageError where error.code == .logCorrupt {
            return error.message
        }
        return nil
    }

    /// Returns the faults that no single event reveals: a database with more or fewer entries than the events require.
    /// Events appended during the audit, from `size` on, are counted with the rest.
    private static func miscount(
        in log: LogReader, after size: UInt64, _ evidenceCount: Int
    ) throws -> LogFinding? {
        let store = try log.core.store()
        return try log.reading { transaction in
            guard try store.layoutVersion(transaction) == LogStore.layoutVersion else {
                return .structure(what: "the layout version is missing")
            }
            let head = try store.head(transaction)
            let newEvidence = try (size..<max(size, head.size)).count { position in
                try store.record(transaction, at: position)?.record.evidenceLength ?? 0 > 0
            }
            var expected = [
                (store.records, "records", Int(head.size)), (store.evidence, "evidence", evidenceCount + newEvidence),
                (store.headers, "headers", try store.headerTexts(transaction).count),
                (store.meta, "meta", head.size == 0 ? 2 : 3),
            ]
            for (level, database) in zip(LogStore.treeLevels, store.tree) {
                expected.append((database, "tree\(level)", Int(head.size >> UInt64(8 * level))))
            }
            for (database, name, count) in expected {
                let found = try transaction.statistics(of: database).entries
                guard found == count else {
                    return .structure(what: "\(name) has \(found) entries, expected \(count)")
                }
            }
            return nil
        }
    }
}

// MARK: - Events

/// Consecutive events that were examined one by one, up to the first fault.
private struct ExaminedEvents: Sendable {
    struct Event: Sendable {
        let leafHash: Digest
        let recordedAt: Instant
        let trust: TrustClass
        let flags: RecordFlags
        let hasEvidence: Bool
        let isErased: Bool
    }

    var events: [Event] = []
    /// The fault of the event after these.
    var fault: String?
}

extension LogAudit {
    /// The number of events that a thread examines at a time.
    private static let eventsPerPart: UInt64 = 512
    private static let partsPerThread = 4
    /// The number of bytes of evidence that a thread keeps in memory: receipts have up to 8 MiB.
    private static let evidenceLimit = 16 << 20

    /// Examines the next events on all cores.
    private func examine(from start: UInt64, below end: UInt64) throws -> [ExaminedEvents] {
        let starts = Array(
            stride(from: start, to: end, by: Int(Self.eventsPerPart)).prefix(AuditThreads.count * Self.partsPerThread))
        return try AuditThreads.map(starts.count) { index in
            try examine(starts[index]..<min(starts[index] + Self.eventsPerPart, end))
        }
    }

    private func examine(_ positions: Range<UInt64>) throws -> ExaminedEvents {
        var examined = ExaminedEvents()
        var position = positions.lowerBound
        do {
            while position < positions.upperBound, examined.fault == nil {
                let stored = try storedEvents(&position, below: positions.upperBound)
                for event in stored where examined.fault == nil { try add(event, to: &examined) }
            }
        } catch let error as StorageError where error.code == .logCorrupt {
            examined.fault = error.message
        }
        return examined
    }

    /// Reads the next events; more bytes than the limit only if one event has them.
    private func storedEvents(_ position: inout UInt64, below end: UInt64) throws -> [StoredEvent] {
        var events: [StoredEvent] = []
        var byteCount = 0
        do {
            let next = try log.forEachStored(from: position, below: end, limit: Int(Self.eventsPerPart)) { stored in
                guard byteCount < Self.evidenceLimit else { return false }
                byteCount += stored.evidence?.verbatim?.count ?? 0
                events.append(stored)
                return true
            }
            guard next > position else {
                throw StorageError(.logCorrupt, "record at position \(position) is missing")
            }
            position = next
        } catch let error as StorageError where error.code == .logCorrupt && !events.isEmpty {
            // The events before the damaged one are examined first. The next call finds it again.
            position += UInt64(events.count)
        }
        return events
    }

    private func add(_ stored: StoredEvent, to examined: inout ExaminedEvents) throws {
        let record = stored.record.record
        guard MerkleTree.leafHash(of: stored.record.bytes) == stored.record.leafHash else {
            examined.fault = "the leaf hash does not match the record"
            return
        }
        guard let evidence = stored.evidence, try isSound(evidence, of: record) else {
            examined.fault = "the evidence does not match the record"
            return
        }
        try identities?.add(record, evidence)
        if case .failure(let problem) = try check(record, evidence) {
            examined.fault = problem.what
            return
        }
        examined.events.append(
            ExaminedEvents.Event(
                leafHash: stored.record.leafHash, recordedAt: record.recordedAt, trust: record.trust,
                flags: record.flags, hasEvidence: record.evidenceLength > 0, isErased: evidence.verbatim == nil))
    }
}

/// The threads of an audit.
private enum AuditThreads {
    static let count = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// Runs `body` for each index on all cores, and returns the results by index.
    /// - Throws: the error with the lowest index.
    static func map<Output: Sendable>(
        _ count: Int, _ body: @Sendable (Int) throws -> Output
    ) throws -> [Output] {
        let results = Mutex([Result<Output, any Error>?](repeating: nil, count: count))
        DispatchQueue.concurrentPerform(iterations: count) { index in
            let result = Result { try body(index) }
            results.withLock { $0[index] = result }
        }
        return try results.withLock { try $0.compactMap { try $0?.get() } }
    }
}

extension LogAudit {
    /// Whether evidence has the digest in its record. Erased evidence must be replaced by a line of a later residue.
    private func isSound(_ evidence: EventEvidence, of record: Record) throws -> Bool {
        switch evidence {
        case .verbatim(let bytes):
            return bytes.count == record.evidenceLength
                && (bytes.isEmpty || Digest.sha256(of: bytes) == record.evidenceDigest)
        case .erased(let erased):
            guard erased.erasedBy > record.position, let eraser = try log.record(at: erased.erasedBy) else {
                return false
            }
            return eraser.kind == .customerErased && eraser.artifact == .erasureResidue
        }
    }
}

/// The first fault found by an audit.
package enum LogFinding: Hashable, Sendable {
    /// A fault of one event.
    case event(position: UInt64, what: String)
    /// A fault of the files.
    case structure(what: String)
}
