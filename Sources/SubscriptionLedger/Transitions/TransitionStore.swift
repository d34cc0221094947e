import AppStoreModel
import EventLog
import FactStore
import Glibc
import LMDB
import LedgerModel
import LedgerStorage
import Primitives

/// The store in `derived/transitions/`: the rows of the feed and, per subscription, the state after its last row and
/// the instant of its next row. The folder can be rebuilt from the log.
final class TransitionStore: Sendable {
    let environment: LMDB.Environment
    /// Maps a sequence number to the digest of all rows up to this one, and the row.
    private let rows: Database
    /// Maps the hash of a subscription to its announced state.
    private let announced: Database
    /// The due rows: keys of instant, subscription and its hash. The values are not used.
    private let due: Database
    private let meta: Database

    /// The layout version; a store of another version is rebuilt.
    private static let layout = 5

    /// Returns the id of the sequence: a digest of the log's name and everything else outside the log that determines
    /// its rows.
    /// - Parameter rules: the rules before the first activation.
    static func sequence(origin: String, rules: Rules) -> Digest {
        .sha256(of: "transitions \(layout) \(origin) \(rules.digest)".utf8)
    }

    private static let sequenceKey = Array("sequence".utf8)
    private static let progressKey = Array("progress".utf8)

    /// Opens the store of a sequence for writing. Replaces a store that is damaged, or that belongs to another sequence
    /// or another log.
    /// - Parameter isOfLog: returns whether the log continues a stored progress.
    /// - Throws: `io_error`, `disk_full`.
    static func open(
        _ directory: String, mapSizeBytes: Int, sequence: Digest, isOfLog: (Progress) throws -> Bool
    ) throws -> TransitionStore {
        mkdir(directory, 0o700)
        do {
            let store = try TransitionStore(opening: directory, mapSizeBytes, sequence)
            let (found, progress) = try store.environment.read { transaction in
                (try store.value(sequenceKey, transaction), try store.progress(transaction))
            }
            if found == sequence.bytes, let progress, try isOfLog(progress) { return store }
        } catch let error as StorageError where [.logCorrupt, .versionUnknown].contains(error.code) {
            // The store is rebuilt below.
        }
        for name in ["data.mdb", "lock.mdb"] { unlink("\(directory)/\(name)") }
        return try TransitionStore(opening: directory, mapSizeBytes, sequence)
    }

    /// Creates an empty store.
    /// - Parameter directory: an existing folder without a store.
    /// - Throws: `io_error`, `disk_full`.
    static func create(_ directory: String, mapSizeBytes: Int, sequence: Digest) throws(StorageError) -> TransitionStore
    {
        try TransitionStore(opening: directory, mapSizeBytes, sequence)
    }

    /// - Parameter sequence: the id of a new store; nil opens an existing store for reading.
    private convenience init(
        opening directory: String, _ mapSizeBytes: Int, _ sequence: Digest?
    ) throws(StorageError) {
        do throws(LMDBError) {
            try self.init(directory, mapSizeBytes, sequence)
        } catch {
            throw StorageError(opening: directory, error)
        }
    }

    private init(_ directory: String, _ mapSizeBytes: Int, _ sequence: Digest?) throws(LMDBError) {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = mapSizeBytes
        options.readOnly = sequence == nil
        if let sequence {
            try LMDB.Environment.makeIfMissing(in: directory, options: options) { environment throws(LMDBError) in
                let meta = try environment.openDatabases(Self.databases)[3]
                var transaction = try environment.beginWrite()
                try transaction.put(sequence.bytes.span.bytes, at: Self.sequenceKey.span.bytes, in: meta)
                try transaction.commit()
            }
        }
        environment = try LMDB.Environment(directory: directory, options: options)
        let opened = try environment.openDatabases(Self.databases, creating: false)
        (rows, announced, due, meta) = (opened[0], opened[1], opened[2], opened[3])
    }

    /// Opens an existing store for reading.
    /// - Throws: `log_corrupt`, `io_error`.
    static func openForReading(_ directory: String, mapSizeBytes: Int) throws(StorageError) -> TransitionStore {
        try TransitionStore(opening: directory, mapSizeBytes, nil)
    }

    static let databases: [(name: String, flags: Database.Flags)] = [
        ("rows", .integerKey), ("followers", []), ("due", []), ("meta", []),
    ]

    /// Opens the store of a sequence for reading; nil if there is none that can be read.
    static func reading(_ directory: String, mapSizeBytes: Int, sequence: Digest) -> TransitionStore? {
        guard access("\(directory)/\(LMDB.Environment.dataFileName)", F_OK) == 0,
            let store = try? TransitionStore(opening: directory, mapSizeBytes, nil),
            let found = try? store.environment.read({ try store.value(sequenceKey, $0) }), found == sequence.bytes
        else { return nil }
        return store
    }

    /// Returns the id of the sequence.
    func sequence<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> [UInt8]? {
        try value(Self.sequenceKey, transaction)
    }

    /// The instant up to which due rows were appended; nil without a readable store.
    static func timeProcessed(in directory: String, mapSizeBytes: Int) -> Instant? {
        guard access("\(directory)/\(LMDB.Environment.dataFileName)", F_OK) == 0,
            let store = try? TransitionStore(opening: directory, mapSizeBytes, nil)
        else { return nil }
        return try? store.environment.read { try store.progress($0)?.timeProcessed }
    }

    private func value<Access>(
        _ key: [UInt8], _ transaction: borrowing LMDBTransaction<Access>
    ) throws(LMDBError) -> [UInt8]? {
        try transaction.get(key.span.bytes, in: meta)?.withUnsafeBytes { Array($0) }
    }
}

extension TransitionStore {
    /// The progress of the feed.
    struct Progress: Hashable, Sendable {
        /// The number of processed events.
        var position: Position = 0
        /// The idempotency key of the last processed event, for detecting another log.
        var idempotencyKey: UInt128 = 0
        /// The instant up to which due rows were appended after the last processed event.
        var timeProcessed = Instant.earliest
        var rowCount: UInt64 = 0
        /// The number of statuses that Apple signed and that differ from the fold.
        var disagreements: UInt64 = 0
        /// The last subscription whose rows an activation of rules has changed; nil between activations.
        var reviewed: UInt128?
        /// The digest of the sequence id and all rows. Each step digests the previous digest and a row.
        var digest: UInt128

        init(start sequence: Digest) { digest = sequence.firstHalf }

        fileprivate init?(_ bytes: [UInt8]) {
            var fields = bytes[...]
            guard let position = UInt64(taking: &fields), let idempotencyKey = UInt128(taking: &fields),
                let time = Int64(taking: &fields), let rowCount = UInt64(taking: &fields),
                let disagreements = UInt64(taking: &fields), let digest = UInt128(taking: &fields)
            else { return nil }
            reviewed = UInt128(taking: &fields)
            guard fields.isEmpty else { return nil }
            (self.position, self.idempotencyKey, self.rowCount) = (position, idempotencyKey, rowCount)
            (timeProcessed, self.disagreements, self.digest) = (Instant(milliseconds: time), disagreements, digest)
        }

        fileprivate var bytes: [UInt8] {
            position.bigEndianBytes + idempotencyKey.bigEndianBytes + timeProcessed.milliseconds.bigEndianBytes
                + rowCount.bigEndianBytes + disagreements.bigEndianBytes + digest.bigEndianBytes
                + (reviewed?.bigEndianBytes ?? [])
        }
    }

    func progress<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> Progress? {
        guard let bytes = try value(Self.progressKey, transaction) else {
            return try value(Self.sequenceKey, transaction).flatMap(Digest.init).map(Progress.init(start:))
        }
        guard let progress = Progress(bytes) else { throw Self.damaged("the progress") }
        return progress
    }

    func store(_ progress: Progress, _ transaction: inout WriteTransaction) throws {
        try transaction.put(progress.bytes.span.bytes, at: Self.progressKey.span.bytes, in: meta)
    }

    func append(
        _ row: StoredTransition, _ progress: inout Progress, _ transaction: inout WriteTransaction
    ) throws {
        try append(stored: row.bytes, &progress, &transaction)
    }

    func append(
        stored bytes: [UInt8], _ progress: inout Progress, _ transaction: inout WriteTransaction
    ) throws {
        progress.digest = Digest.sha256(of: progress.digest.bigEndianBytes + bytes).firstHalf
        let stored = progress.digest.bigEndianBytes + bytes
        try transaction.put(stored.span.bytes, at: progress.rowCount, in: rows, .append)
        progress.rowCount += 1
    }

    /// Returns the digest of the rows below `count`, which is at most the row count of the progress.
    func digest<Access>(
        ofRowsBelow count: UInt64, sequence: Digest, _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> UInt128 {
        count == 0 ? sequence.firstHalf : try row(count - 1, transaction).digest
    }

    func row<Access>(
        _ sequence: UInt64, _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> (digest: UInt128, row: [UInt8]) {
        guard var stored = try transaction.get(sequence, in: rows)?.withUnsafeBytes({ Array($0)[...] }),
            let digest = UInt128(taking: &stored)
        else { throw Self.damaged("row \(sequence)") }
        return (digest, Array(stored))
    }

    static func damaged(_ what: String) -> StorageError {
        StorageError(
            .logCorrupt, "\(what) in derived/transitions/ cannot be read",
            hint: "Delete derived/transitions/ and restart. The ledger rebuilds it from the log.")
    }
}

extension TransitionStore {
    func announcedSubscription<Access>(
        of key: SubscriptionKey, _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> AnnouncedSubscription {
        let new = AnnouncedSubscription(key: key)
        return try announcedSubscription(hash: new.hash, transaction) ?? new
    }

    /// Returns the announced subscription with the least hash above `hash`; nil after the last.
    /// - Parameter hash: nil for the first subscription.
    func announcedSubscription<Access>(
        after hash: UInt128?, _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> AnnouncedSubscription? {
        guard hash != .max else { return nil }
        var cursor = try transaction.cursor(in: announced)
        guard let entry = try cursor.seek((hash.map { $0 + 1 } ?? 0).bigEndianBytes.span.bytes) else { return nil }
        guard let announced = AnnouncedSubscription(entry.value.withUnsafeBytes { Array($0) }) else {
            throw Self.damaged("an announced subscription")
        }
        return announced
    }

    private func announcedSubscription<Access>(
        hash: [UInt8], _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> AnnouncedSubscription? {
        guard let stored = try transaction.get(hash.span.bytes, in: self.announced)?.withUnsafeBytes({ Array($0) })
        else {
            return nil
        }
        guard let announced = AnnouncedSubscription(stored) else { throw Self.damaged("an announced subscription") }
        return announced
    }

    /// The value of every due row, which is not used.
    private static let dueValue: [UInt64] = [0]

    /// Replaces an announced subscription and its due instant.
    func replace(
        _ old: AnnouncedSubscription, with new: AnnouncedSubscription, _ transaction: inout WriteTransaction
    ) throws {
        guard new != old else { return }
        if old.due != new.due {
            if let due = old.due { try transaction.delete(old.dueKey(due).span.bytes, in: self.due) }
            if let due = new.due {
                try transaction.put(Self.dueValue.span.bytes, at: new.dueKey(due).span.bytes, in: self.due)
            }
        }
        try transaction.put(new.bytes.span.bytes, at: new.hash.span.bytes, in: self.announced)
    }

    /// Returns the subscription that is due first, ordered by time and then by key; nil when none is due.
    func firstDue<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> (
        at: Instant, subscription: AnnouncedSubscription
    )? {
        guard let (instant, hash) = try firstDueKey(transaction) else { return nil }
        guard let announced = try announcedSubscription(hash: hash, transaction) else {
            throw Self.damaged("a due subscription")
        }
        return (instant, announced)
    }

    private func firstDueKey<Access>(
        _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> (at: Instant, hash: [UInt8])? {
        var cursor = try transaction.cursor(in: due)
        guard let entry = try cursor.first() else { return nil }
        return Self.dueKey(entry.key.withUnsafeBytes { Array($0) })
    }

    private static func dueKey(_ key: [UInt8]) -> (at: Instant, hash: [UInt8])? {
        var fields = key[...]
        guard let word = UInt64(taking: &fields), fields.count >= 16 else { return nil }
        return (Instant(milliseconds: Int64(bitPattern: word ^ 1 << 63)), Array(fields.suffix(16)))
    }

    /// Returns the instant of the `limit`-th due row, or of the last one due by `instant` when there are fewer; nil
    /// when none is due by `instant`.
    func lastDue<Access>(
        by instant: Instant, limit: Int, _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> Instant? {
        var cursor = try transaction.cursor(in: due)
        var last: Instant?
        for _ in 0..<limit {
            guard let entry = try cursor.next(),
                let due = Self.dueKey(entry.key.withUnsafeBytes { Array($0) }), due.at <= instant
            else { break }
            last = due.at
        }
        return last
    }
}

/// The contents for an audit.
extension TransitionStore {
    /// Returns the number of stored rows.
    func rowCount<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> UInt64 {
        UInt64(try transaction.statistics(of: rows).entries)
    }

    /// Returns the number of stored subscriptions that differ from unknown ones; nil when the due rows are not theirs.
    func announcedCount<Access>(_ transaction: borrowing LMDBTransaction<Access>) throws -> Int? {
        var (count, dueCount) = (0, 0)
        var cursor = try transaction.cursor(in: announced)
        while let entry = try cursor.next() {
            guard let stored = AnnouncedSubscription(entry.value.withUnsafeBytes { Array($0) }) else {
                throw Self.damaged("an announced subscription")
            }
            if stored != AnnouncedSubscription(key: stored.key) { count += 1 }
            guard let due = stored.due else { continue }
            dueCount += 1
            guard try isDue(stored, at: due, transaction) else { return nil }
        }
        return try transaction.statistics(of: due).entries == dueCount ? count : nil
    }

    private func isDue<Access>(
        _ subscription: AnnouncedSubscription, at instant: Instant, _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> Bool {
        let value = try transaction.get(subscription.dueKey(instant).span.bytes, in: due)
        return value?.withUnsafeBytes { Array($0) } == Self.dueValue.withUnsafeBytes { Array($0) }
    }

    /// Whether exactly this subscription is stored.
    func stores<Access>(
        _ subscription: AnnouncedSubscription, _ transaction: borrowing LMDBTransaction<Access>
    ) throws -> Bool {
        let stored = try transaction.get(subscription.hash.span.bytes, in: announced)
        return stored?.withUnsafeBytes { Array($0) } == subscription.bytes
    }
}
