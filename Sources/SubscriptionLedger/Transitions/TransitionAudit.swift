import EventLog
import FactStore
import LMDB
import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime

/// Compares the stored rows of the feed, and the digest over them, with the rows that the facts give.
struct TransitionAudit {
    /// Memory for the index of units and for sorting, in bytes.
    private static let memory = 256 << 20

    let store: TransitionStore
    let facts: FactIndex
    let log: LogReader
    let rules: ActiveRules

    enum Outcome {
        /// The number of rows, and of the events that they come from.
        case same(rows: UInt64, events: Position)
        case notCompared(String)
        case differs(String)
    }

    func run(progress report: @escaping @Sendable (AuditProgress) -> Void) throws -> Outcome {
        let sequence = TransitionStore.sequence(origin: log.origin, rules: rules.initial)
        let (found, progress, rowCount) = try reading {
            (try store.sequence($0), try store.progress($0), try store.rowCount($0))
        }
        guard found == sequence.bytes, let progress else {
            return .notCompared("of another log, of other initial rules or of another version")
        }
        guard try progress.isOf(log) else { return .differs("the transitions are of another log") }
        guard rowCount == progress.rowCount else {
            return .differs("\(rowCount) transitions are stored, expected \(progress.rowCount)")
        }
        let scratch = try Folder.temporary()
        defer { try? scratch.remove() }
        do {
            try facts.catchUp(with: log)
            let (parts, end) = try expected(progress, in: scratch.path, report)
            let isComplete = try compare(parts.map(\.rows), progress, sequence, report)
            try compareSubscriptions(isComplete ? parts : nil, before: end, progress)
            return .same(rows: progress.rowCount, events: progress.position)
        } catch let difference as Difference {
            return .differs(difference.what)
        } catch let error as StorageError where [.busy, .versionUnknown].contains(error.code) {
            // Too far behind, or rules that only a later version knows.
            return .notCompared(error.message)
        }
    }

    /// Returns all rows that the feed may have so far, what its consumers then know, and the end of the due rows.
    private func expected(
        _ progress: TransitionStore.Progress, in folder: String,
        _ report: @escaping @Sendable (AuditProgress) -> Void
    ) throws -> ([TransitionReplay.Part.Finished], end: Instant) {
        var options = RebuildOptions()
        options.memory = Self.memory
        options.report = { report(AuditProgress(.transitions, done: $0.done, total: $0.total)) }
        // While the rows of an activation are appended, one subscription after the other, it is not processed yet.
        let size = progress.position + (progress.reviewed == nil ? 0 : 1)
        let units = try UnitFold(of: facts, knownAt: size, options: options)
        // The rows due before the next event may be appended already.
        let next = try log.record(at: progress.position)?.recordedAt ?? .earliest
        let end = max(units.asOf, progress.timeProcessed.advanced(byMilliseconds: 1), next)
        let replay = TransitionReplay(units: units, rules: try rules.history(knownAt: size), end: end)
        return (try replay.run(in: folder) {}, end)
    }

    private struct Difference: Error {
        let what: String
    }

    /// The number of rows that one transaction reads.
    private static let rowsPerRead: UInt64 = 4_096

    /// Requires the stored rows to be the first of the expected ones.
    /// - Returns: whether they are all of them.
    /// - Throws: `Difference`.
    private func compare(
        _ runs: [SortedRuns], _ progress: TransitionStore.Progress, _ sequence: Digest,
        _ report: (AuditProgress) -> Void
    ) throws -> Bool {
        var isComplete = true
        var count: UInt64 = 0
        var digest = sequence.firstHalf
        var stored: [(digest: UInt128, row: [UInt8])] = []
        var read = 0
        do {
            try SortedRuns.merge(runs) { record in
                guard count < progress.rowCount else {
                    isComplete = false
                    return
                }
                if read == stored.count {
                    stored = try rows(count..<min(count + Self.rowsPerRead, progress.rowCount))
                    read = 0
                    report(AuditProgress(.transitions, done: count, total: progress.rowCount))
                }
                digest = Digest.sha256(of: digest.bigEndianBytes + record.body).firstHalf
                guard stored[read] == (digest, Array(record.body)) else {
                    throw Difference(what: "row \(count) of the transitions is not that of the log")
                }
                (count, read) = (count + 1, read + 1)
            }
        } catch let error as StorageError where error.code == .logCorrupt {
            throw Difference(what: error.message)
        }
        guard count == progress.rowCount else {
            throw Difference(what: "the transitions have \(progress.rowCount) rows, expected at most \(count)")
        }
        guard digest == progress.digest else { throw Difference(what: "the digest of the transitions differs") }
        return isComplete
    }

    /// Requires the stored states of subscriptions to be those after the last row, and the due rows to be theirs.
    /// - Parameter parts: the expected states; nil while rows are missing.
    /// - Throws: `Difference`.
    private func compareSubscriptions(
        _ parts: [TransitionReplay.Part.Finished]?, before end: Instant, _ progress: TransitionStore.Progress
    ) throws {
        do {
            try reading { transaction in
                guard let count = try store.announcedCount(transaction) else {
                    throw Difference(what: "the due rows of the transitions are not those of their subscriptions")
                }
                // A writer may have gone on since the rows were compared, or not have processed all that is due. Between
                // the rows of an activation, the states are of two sets of rules.
                guard let parts, progress.reviewed == nil, try store.progress(transaction) == progress,
                    try store.firstDue(transaction).map({ $0.at >= end }) ?? true
                else { return }
                try compare(parts, with: count, progress, transaction)
            }
        } catch let error as StorageError where error.code == .logCorrupt {
            throw Difference(what: error.message)
        }
    }

    private func compare(
        _ parts: [TransitionReplay.Part.Finished], with count: Int, _ progress: TransitionStore.Progress,
        _ transaction: borrowing ReadTransaction
    ) throws {
        let disagreements = parts.reduce(0) { $0 + $1.disagreements }
        guard disagreements == progress.disagreements else {
            throw Difference(
                what: "\(progress.disagreements) disagreements with signed statuses, expected \(disagreements)")
        }
        var expectedCount = 0
        for part in parts {
            try SortedRuns.merge([part.announced]) { record in
                guard let expected = AnnouncedSubscription(Array(record.body)),
                    expected != AnnouncedSubscription(key: expected.key)
                else { return }
                expectedCount += 1
                guard try store.stores(expected, transaction) else {
                    throw Difference(
                        what: "the last state of \(expected.key.originalTransactionId) in the transitions differs")
                }
            }
        }
        guard count == expectedCount else {
            throw Difference(what: "the transitions have \(count) subscriptions, expected \(expectedCount)")
        }
    }

    private func rows(_ range: Range<UInt64>) throws -> [(digest: UInt128, row: [UInt8])] {
        try reading { transaction in try range.map { try store.row($0, transaction) } }
    }

    private func reading<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        do {
            return try store.environment.read(body)
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the transitions failed")
        }
    }
}
