import AppStoreModel
import EventLog
import FactStore
import Glibc
import LMDB
import LedgerAPI
package import LedgerModel
import LedgerStorage
package import Primitives
import SubscriptionStatus
import Synchronization

/// A row of the feed of transitions, as every reader sees it: with the handles of the owners.
package struct ExportedTransition: Sendable {
    package let sequence: UInt64
    package let key: SubscriptionKey
    package let recordedAt: Instant
    package let effectiveAt: Instant
    package let change: [String]
    package let cause: String
    /// `backfill` for a change that took effect more than 24 hours before it was recorded, else `live`.
    package let mode: String
    /// The event that causes the row; nil for time alone.
    package let position: Position?
    /// The newest event that the row rests on.
    package let newestPosition: Position
    /// The owners after the change, ordered. The bearers of tokens that nobody mapped are left out.
    package let customers: [CustomerHandle]
    /// The `SubscriptionRow` before the change, as JSON; nil when there was none.
    package let before: [UInt8]?
    /// The `SubscriptionRow` after the change, as JSON; nil when the subscription has none any more.
    package let after: [UInt8]?

    /// Returns nil for a damaged row.
    fileprivate init?(_ stored: StoredTransition, sequence: UInt64) {
        (before, after) = (Self.canonical(stored.before), Self.canonical(stored.after))
        guard let row = (after ?? before).flatMap({ try? JSONDocument(parsing: $0) })?.root,
            let bundleId = row["bundleId"]?.string, let id = row["originalTransactionId"]?.string
        else { return nil }
        key = SubscriptionKey(
            environment: Environment(rawValue: stored.environment), bundleId: bundleId, originalTransactionId: id)
        (self.sequence, recordedAt, effectiveAt) = (sequence, stored.recordedAt, stored.effectiveAt)
        (change, cause) = (stored.change, stored.cause)
        mode = TransitionRow.mode(effectiveAt: effectiveAt, recordedAt: recordedAt)
        position = cause == Cause.time.name ? nil : stored.position
        newestPosition = stored.position
        customers = stored.owners.compactMap { owner in
            guard case .customer(let handle) = owner else { return nil }
            return handle
        }
    }

    private static func canonical(_ row: JSONValue) -> [UInt8]? {
        let text = Array(row.serialized().utf8)
        guard let document = try? JSONDocument(parsing: text), !document.root.isNull else { return nil }
        return JSONValue(document.root).canonical()
    }
}

/// The error for rows of the feed that are not decided yet.
package struct AsOfAhead: DiagnosedError, Hashable, Sendable {
    package let diagnosis: Diagnosis

    fileprivate init(_ asOf: Instant, head: Instant) {
        diagnosis = Diagnosis(
            "as_of_ahead", "the feed of transitions does not reach the instant", expected: "at most \(head)",
            found: "\(asOf)", hint: "Transitions after now depend on events to come. Choose an earlier instant.")
    }
}

extension LedgerReader {
    /// Calls `body` with the rows of the feed that rest on the first `size` events and were recorded by an instant, in
    /// order. Uses the stored feed. Where it is missing or behind, builds one for the call.
    /// - Throws: `AsOfAhead`; `StorageError`; the errors of `body`.
    package func forEachTransition(
        through time: Instant, below size: Position, _ body: (ExportedTransition) throws -> Void
    ) throws {
        let head = try max(configuration.clock(), recordedAt(lastOf: log.size()))
        guard time <= head else { throw AsOfAhead(time, head: head) }
        let sequence = TransitionStore.sequence(origin: log.origin, rules: configuration.rules)
        if let store = try storedTransitions(sequence), try store.waitUntilComplete(through: time, below: size) {
            return try store.forEachRow(through: time, below: size, body)
        }
        let scratch = try Folder.temporary()
        defer { try? scratch.remove() }
        let store = try buildTransitions(through: time, sequence, in: scratch)
        try store.forEachRow(through: time, below: size, body)
    }

    private func storedTransitions(_ sequence: Digest) throws -> TransitionStore? {
        if let shared = sharedTransitions.withLock({ $0 }) { return try shared.current() }
        let store = TransitionStore.reading(
            configuration.folder.transitions, mapSizeBytes: configuration.mapSizeBytes, sequence: sequence)
        let progress = try store?.environment.read { try store?.progress($0) }
        return try progress?.isOf(log) == true ? store : nil
    }

    private func buildTransitions(
        through time: Instant, _ sequence: Digest, in folder: Folder
    ) throws -> TransitionStore {
        if facts.size < (try log.size()) { try facts.catchUp(with: log) }
        let limit = WorkLimit.current
        let rebuild = TransitionRebuild(
            facts: facts, log: log, rules: activeRules, sequence: sequence,
            mapSizeBytes: configuration.mapSizeBytes, timeProcessed: .earliest, folder: folder
        ) { limit?.reason != nil }
        do {
            try rebuild.run()
            let store = try TransitionStore.create(
                folder.path, mapSizeBytes: configuration.mapSizeBytes, sequence: sequence)
            let builder = TransitionBuilder(facts: facts, store: store, rules: activeRules)
            while try store.advance(builder, through: time) {}
            return store
        } catch let error as LMDBError {
            throw StorageError(error, while: "building the transitions failed")
        }
    }
}

extension TransitionStore {
    /// The rows of a transaction.
    private static let batch: UInt64 = 4_096
    /// The time for which a feed that follows the log is awaited.
    private static let patience = Duration.seconds(2)

    /// Waits until the store has every row up to an instant; returns false if it does not get there.
    fileprivate func waitUntilComplete(through time: Instant, below size: Position) throws -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            if try isComplete(through: time, below: size) { return true }
            guard ContinuousClock.now < deadline else { return false }
            try WorkLimit.check()
            usleep(20_000)
        }
    }

    private func isComplete(through time: Instant, below size: Position) throws -> Bool {
        try environment.read { transaction in
            guard let progress = try progress(transaction), progress.position >= size else { return false }
            return try progress.position > size || firstDue(transaction).map { $0.at > time } ?? true
        }
    }

    /// Appends due rows up to an instant.
    /// - Returns: whether there may be more.
    fileprivate func advance(_ builder: TransitionBuilder, through time: Instant) throws -> Bool {
        try environment.write { transaction in
            guard var progress = try progress(transaction) else { throw Self.damaged("the progress") }
            let before = progress
            try builder.advance(
                &progress, below: progress.position, through: time, limit: Int(Self.batch), &transaction)
            try store(progress, &transaction)
            return progress != before
        }
    }

    fileprivate func forEachRow(
        through time: Instant, below size: Position, _ body: (ExportedTransition) throws -> Void
    ) throws {
        var next: UInt64 = 0
        var isOver = false
        while !isOver {
            // Short snapshots do not keep the pages that a writer frees.
            isOver = try environment.read { transaction in
                let end = min(try progress(transaction)?.rowCount ?? 0, next + Self.batch)
                while next < end {
                    try WorkLimit.check()
                    guard let stored = StoredTransition(try row(next, transaction).row),
                        let row = ExportedTransition(stored, sequence: next)
                    else { throw Self.damaged("row \(next)") }
                    // Rows are ordered by the time of recording.
                    guard stored.position < size, stored.recordedAt <= time else { return true }
                    try body(row)
                    next += 1
                }
                return try next >= progress(transaction)?.rowCount ?? 0
            }
        }
    }
}
