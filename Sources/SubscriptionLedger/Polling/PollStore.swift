import AppStoreClient
import AppStoreModel
import DuePolls
import Glibc
import LMDB
import LedgerModel
package import LedgerStorage
import Primitives

/// The facts about questions to Apple that the log does not have, in `data/poll/`: attempts without an answer, how far the
/// history of an account was read, and until when notifications were reconciled. Without them, Apple is asked more often
/// than needed.
package final class PollStore: Sendable {
    /// The questions about one key.
    struct Attempt: Hashable, Sendable {
        var attemptedAt: Instant?
        var answeredAt: Instant?
        var historyAt: Instant?
        var historyFailedAt: Instant?
        /// The revision of the last page of the history; the next page begins there. Empty for the first page.
        var revision: String?
        /// The time of the page.
        var revisedAt: Instant?
        /// The time at which the App Store Server API did not know the transaction.
        var unknownAt: Instant?
        /// The last question to verifyReceipt; nil without one.
        var receipt: ReceiptAttempt?
    }

    private let environment: LMDB.Environment
    private let attempts: Database
    /// The end of the last window by app.
    private let windows: Database

    private static let databases: [(name: String, flags: Database.Flags)] = [("attempts", []), ("windows", [])]
    private static let mapSizeBytes = 64 << 30

    /// Opens the store for writing, and makes it if it is missing.
    /// - Throws: `io_error`, `disk_full`, `log_corrupt`.
    package convenience init(writing folder: DataFolder) throws {
        mkdir(folder.poll, 0o700)
        try self.init(folder, readOnly: false)
    }

    /// Opens the store for reading; nil when nothing was ever asked.
    convenience init?(reading folder: DataFolder) throws {
        guard access("\(folder.poll)/\(LMDB.Environment.dataFileName)", F_OK) == 0 else { return nil }
        try self.init(folder, readOnly: true)
    }

    private init(_ folder: DataFolder, readOnly: Bool) throws {
        do throws(LMDBError) {
            var options = LMDB.Environment.Options()
            (options.mapSizeBytes, options.readOnly) = (Self.mapSizeBytes, readOnly)
            if !readOnly {
                try LMDB.Environment.makeIfMissing(in: folder.poll, options: options) { environment throws(LMDBError) in
                    _ = try environment.openDatabases(Self.databases)
                }
            }
            environment = try LMDB.Environment(directory: folder.poll, options: options)
            let databases = try environment.openDatabases(Self.databases, creating: false)
            (attempts, windows) = (databases[0], databases[1])
        } catch {
            throw StorageError(opening: folder.poll, error)
        }
    }

    /// Returns the newest attempts about any of the keys.
    func attempt(about keys: some Sequence<SubscriptionKey>) throws -> Attempt {
        do {
            return try environment.read { transaction in
                var joined = Attempt()
                for key in keys {
                    guard let stored = try transaction.get(key.pollKey.span.bytes, in: attempts),
                        let attempt = stored.withUnsafeBytes({ Attempt(Array($0)) })
                    else { continue }
                    joined.join(attempt)
                }
                return joined
            }
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the polls failed")
        }
    }

    func store(_ changed: [SubscriptionKey: Attempt]) throws {
        guard !changed.isEmpty else { return }
        do {
            try environment.write { transaction in
                for (key, attempt) in changed {
                    try transaction.put(attempt.bytes.span.bytes, at: key.pollKey.span.bytes, in: attempts)
                }
            }
        } catch let error as LMDBError {
            throw StorageError(error, while: "storing the polls failed")
        }
    }
}

extension PollStore {
    /// Returns the end of the last window in which notifications were reconciled; nil without one.
    func reconciledUntil(_ app: CallBudget.App) throws -> Instant? {
        do {
            return try environment.read { transaction in
                guard let stored = try transaction.get(app.windowKey.span.bytes, in: windows) else { return nil }
                var bytes = stored.withUnsafeBytes { Array($0) }[...]
                return Int64(taking: &bytes).map { Instant(milliseconds: $0) }
            }
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the last window failed")
        }
    }

    func store(reconciledUntil end: Instant, _ app: CallBudget.App) throws {
        do {
            try environment.write { transaction in
                try transaction.put(
                    end.milliseconds.bigEndianBytes.span.bytes, at: app.windowKey.span.bytes, in: windows)
            }
        } catch let error as LMDBError {
            throw StorageError(error, while: "storing the window failed")
        }
    }
}

extension CallBudget.App {
    /// The key of a window: 16 bytes, however long the bundle id.
    fileprivate var windowKey: [UInt8] {
        Digest.sha256(of: "\(environment.rawValue)\0\(bundleId)".utf8).firstHalf.bigEndianBytes
    }
}

extension SubscriptionKey {
    /// The key of an attempt: 16 bytes, however long the id.
    fileprivate var pollKey: [UInt8] {
        Digest.sha256(of: "\(environment.rawValue)\0\(bundleId)\0\(originalTransactionId)".utf8).firstHalf
            .bigEndianBytes
    }
}

extension PollStore.Attempt {
    mutating func join(_ other: Self) {
        attemptedAt = [attemptedAt, other.attemptedAt].compactMap(\.self).max()
        answeredAt = [answeredAt, other.answeredAt].compactMap(\.self).max()
        if let revised = other.revisedAt, revised >= revisedAt ?? .earliest {
            (revision, revisedAt) = (other.revision, revised)
        }
        historyAt = [historyAt, other.historyAt].compactMap(\.self).max()
        historyFailedAt = [historyFailedAt, other.historyFailedAt].compactMap(\.self).max()
        unknownAt = [unknownAt, other.unknownAt].compactMap(\.self).max()
        receipt = [receipt, other.receipt].compactMap(\.self).max { $0.at < $1.at }
    }

    /// The first byte of an attempt. Those of earlier versions count as none.
    private static let layout: UInt8 = 2

    fileprivate init?(_ bytes: [UInt8]) {
        var fields = bytes[...]
        guard fields.popFirst() == Self.layout, let attempted = Int64(taking: &fields),
            let answered = Int64(taking: &fields), let history = Int64(taking: &fields),
            let failed = Int64(taking: &fields), let revised = Int64(taking: &fields),
            let unknown = Int64(taking: &fields), let asked = Int64(taking: &fields),
            let failures = Int64(taking: &fields), fields.count >= Self.digestByteCount
        else { return nil }
        func instant(_ milliseconds: Int64) -> Instant? {
            milliseconds == 0 ? nil : Instant(milliseconds: milliseconds)
        }
        (attemptedAt, answeredAt) = (instant(attempted), instant(answered))
        (historyAt, historyFailedAt, revisedAt) = (instant(history), instant(failed), instant(revised))
        unknownAt = instant(unknown)
        let retired = Digest(bytes: Array(fields.prefix(Self.digestByteCount)))
        receipt = instant(asked).map {
            ReceiptAttempt(at: $0, failures: Int(failures), retired: retired == .zero ? nil : retired)
        }
        let text = fields.dropFirst(Self.digestByteCount)
        revision = revisedAt == nil ? nil : String(decoding: text, as: UTF8.self)
    }

    private static let digestByteCount = 32

    fileprivate var bytes: [UInt8] {
        let instants = [
            attemptedAt, answeredAt, historyAt, historyFailedAt, revisedAt, unknownAt, receipt?.at,
        ]
        return [Self.layout] + instants.flatMap { ($0?.milliseconds ?? 0).bigEndianBytes }
            + Int64(receipt?.failures ?? 0).bigEndianBytes + (receipt?.retired ?? .zero).bytes
            + Array((revision ?? "").utf8)
    }
}

extension [Lineage] {
    /// Returns the next question about an account; nil when there is none.
    /// - Parameter attempt: the questions so far.
    func duePoll(at t: Instant, after attempt: PollStore.Attempt, policy: PollPolicy, rules: Rules) -> DuePoll? {
        let poll = duePoll(at: t, asked: AskedAccount(attempt), policy: policy, rules: rules)
        guard let poll, let next = attempt.receipt?.nextAt else { return poll }
        return poll.due(at: next)
    }
}
