import LMDB
import Primitives

/// Reads the whole log and checks that everything in it is what it says: records, leaf hashes, the tree and its
/// stored nodes, the head, and evidence byte for byte.
package struct LogAudit {
    /// What else must hold of an event.
    package typealias EventCheck = (Record, _ evidence: [UInt8]) throws -> Result<Void, EventProblem>

    package struct EventProblem: Error, Sendable {
        package let what: String
        package init(what: String) { self.what = what }
    }

    private let log: EventLog
    private let check: EventCheck
    private let progress: (UInt64) -> Void

    /// - Parameters:
    ///   - check: called with every event and its evidence.
    ///   - progress: called now and then with the position reached.
    package init(_ log: EventLog, check: @escaping EventCheck, progress: @escaping (UInt64) -> Void) {
        self.log = log
        self.check = check
        self.progress = progress
    }

    /// - Throws: only when the log cannot be read at all. What is wrong is in the report, the first of it.
    package func run() throws -> AuditReport {
        var report = AuditReport()
        var edge = RightEdge()
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
        } catch let error as EventLogError where error.code == .logCorrupt {
            report.firstBad = .event(position: report.events, what: error.message)
        }
        guard report.firstBad == nil else { return report }
        guard edge.size == head.size, edge.root == head.root else {
            report.firstBad = .structure(
                what: "the tree head says \(head.size) events and root \(head.root), the events give root \(edge.root)")
            return report
        }
        do {
            report.firstBad = try Self.miscount(in: log, after: head.size, evidenceCount)
        } catch let error as EventLogError where error.code == .logCorrupt {
            report.firstBad = .structure(what: error.message)
        }
        return report
    }

    /// What cannot be told from one event: that no database holds more or less than the events need. Events that came
    /// while the audit ran, from `size` on, are counted with the rest.
    private static func miscount(
        in log: EventLog, after size: UInt64, _ evidenceCount: Int
    ) throws -> AuditFinding? {
        let store = try log.core.store()
        return try log.reading { transaction in
            guard try store.layoutVersion(transaction) == LogStore.layoutVersion else {
                return .structure(what: "the layout's version is missing")
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
                    return .structure(what: "\(name) has \(found) entries, \(count) expected")
                }
            }
            return nil
        }
    }

    private static let batch = 1_024

    /// What is wrong with one event, nil when nothing is.
    private func examine(
        _ stored: StoredEvent, after last: Instant, _ edge: inout RightEdge
    ) throws -> String? {
        let record = stored.record.record
        guard MerkleTree.leafHash(of: stored.record.bytes) == stored.record.leafHash else {
            return "the leaf hash is not that of the record"
        }
        guard record.recordedAt >= last else { return "recordedAt is before that of the event before" }
        guard let evidence = stored.evidence, evidence.count == record.evidenceLength,
            record.evidenceLength == 0 || Digest.sha256(of: evidence) == record.evidenceDigest
        else { return "the evidence is not what the record tells" }
        var completed: [StoredHash] = []
        edge.append(stored.record.leafHash, completed: &completed)
        for hash in completed where try log.storedHash(level: hash.level, index: hash.index) != hash.hash {
            return "the stored tree node at level \(hash.level), index \(hash.index) is not the root of its children"
        }
        switch try check(record, evidence) {
        case .success:
            return nil
        case .failure(let problem):
            return problem.what
        }
    }
}
