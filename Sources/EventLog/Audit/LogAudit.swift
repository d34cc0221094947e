import LMDB
import LedgerStorage
import Primitives
import TransparencyLog

/// Verifies the whole log: records, leaf hashes, the tree and its stored nodes, the head, and evidence byte for byte.
package struct LogAudit {
    /// An additional check of an event.
    package typealias EventCheck = (Record, _ evidence: [UInt8]) throws -> Result<Void, EventProblem>

    package struct EventProblem: Error, Sendable {
        package let what: String
        package init(what: String) { self.what = what }
    }

    package struct Report: Hashable, Sendable {
        /// The number of sound events.
        package var events: UInt64
        package var firstBad: LogFinding?

        package init(events: UInt64 = 0) {
            self.events = events
        }
    }

    private let log: LogReader
    private let check: EventCheck
    private let progress: (UInt64) -> Void

    /// - Parameters:
    ///   - check: called with every event and its evidence.
    ///   - progress: called before each batch with the position reached.
    package init(_ log: LogReader, check: @escaping EventCheck, progress: @escaping (UInt64) -> Void) {
        self.log = log
        self.check = check
        self.progress = progress
    }

    /// - Throws: only when the log cannot be read at all. The report contains the first fault.
    package func run() throws -> Report {
        var report = Report()
        var edge = CompactRange()
        var last = Instant.earliest
        var evidenceCount = 0
        let head = try log.head()
        do {
            while report.events < head.size {
                let position = report.events
                progress(position)
                let next = try log.forEachStored(from: position, below: head.size, limit: Self.batch) { stored in
                    if let problem = try examine(stored, after: last, &edge) {
                        report.firstBad = .event(position: stored.record.record.position, what: problem)
                        return false
                    }
                    last = stored.record.record.recordedAt
                    evidenceCount += stored.record.record.evidenceLength > 0 ? 1 : 0
                    report.events += 1
                    return true
                }
                guard report.firstBad == nil, next > position else { break }
            }
        } catch let error as StorageError where error.code == .logCorrupt {
            report.firstBad = .event(position: report.events, what: error.message)
        }
        guard report.firstBad == nil else { return report }
        guard edge.size == head.size, edge.root == head.root else {
            report.firstBad = .structure(
                what: "the tree head has \(head.size) events, root \(head.root); the events have root \(edge.root)")
            return report
        }
        do {
            report.firstBad = try Self.miscount(in: log, after: head.size, evidenceCount)
        } catch let error as StorageError where error.code == .logCorrupt {
            report.firstBad = .structure(what: error.message)
        }
        return report
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

    private static let batch = 1_024

    /// Returns the fault of one event; nil for a sound event.
    private func examine(
        _ stored: StoredEvent, after last: Instant, _ edge: inout CompactRange
    ) throws -> String? {
        let record = stored.record.record
        guard MerkleTree.leafHash(of: stored.record.bytes) == stored.record.leafHash else {
            return "the leaf hash does not match the record"
        }
        guard record.recordedAt >= last else { return "recordedAt is earlier than in the previous event" }
        guard let evidence = stored.evidence, evidence.count == record.evidenceLength,
            record.evidenceLength == 0 || Digest.sha256(of: evidence) == record.evidenceDigest
        else { return "the evidence does not match the record" }
        var completed: [StoredHash] = []
        edge.append(stored.record.leafHash, completed: &completed)
        for hash in completed where try log.storedHash(level: hash.level, index: hash.index) != hash.hash {
            return "the stored tree node at level \(hash.level), index \(hash.index) does not match its children"
        }
        switch try check(record, evidence) {
        case .success:
            return nil
        case .failure(let problem):
            return problem.what
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
