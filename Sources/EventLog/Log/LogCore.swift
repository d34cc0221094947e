import LMDB
import LedgerStorage
import Primitives
import Synchronization
import TransparencyLog

/// The parts of an open log that its writer and readers share.
final class LogCore: Sendable {
    private let opened: RecoverableEnvironment<LogStore>
    private let published: Mutex<TreeHead>
    private let isWriting: Bool
    let packer: EvidencePacker
    let observers = HeadObservers()
    let statistics = AppendStatistics()

    init(directory: String, options: Environment.Options) throws {
        opened = try RecoverableEnvironment("the log") { try LogStore(directory: directory, options: options) }
        let store = try opened.current()
        let (head, headers) = try Self.reading(store) { transaction in
            (try store.head(transaction), try store.headerTexts(transaction))
        }
        published = Mutex(head)
        isWriting = !options.readOnly
        packer = EvidencePacker(headers: HeaderTable(texts: headers))
    }

    private static func reading<Result>(
        _ store: LogStore, _ body: (borrowing ReadTransaction) throws -> Result
    ) throws -> Result {
        do {
            return try store.environment.read(body)
        } catch let error as LMDBError {
            throw StorageError(error, while: "reading the log failed")
        }
    }

    /// - Throws: `busy` while the environment is being reopened.
    func store() throws(StorageError) -> LogStore { try opened.current() }

    /// The newest acknowledged size and root in the writing process; nil in a read-only process.
    var acknowledged: TreeHead? { isWriting ? head : nil }

    private var head: TreeHead { published.withLock { $0 } }

    /// Returns the head. The caller holds the writer's floor, so no commit is in progress.
    /// - Throws: `busy` after a failed commit, while the log may contain more than is published.
    func settledHead() throws -> TreeHead {
        let store = try store()
        let stored = try Self.reading(store) { try store.head($0) }
        guard stored == head else {
            throw StorageError(.busy, "the outcome of a commit is unknown", hint: "Try again.")
        }
        return stored
    }

    func publish(_ head: TreeHead) {
        published.withLock { $0 = head }
        observers.tell(head)
    }

    /// Opens the environment if reopening failed after a failed commit.
    func ensureOpen() throws {
        _ = try opened.currentOrReopened()
    }

    /// Closes and reopens the environment, to determine the outcome of a failed commit.
    func reopen() throws {
        try opened.reopen()
    }

    /// Opens the environment that has taken the place of the open one. Readers of the old one finish there.
    func openReplacement() throws {
        try opened.openReplacement()
    }

    /// Returns the writer's state as stored in the log.
    func writerState() throws -> WriterState {
        let store = try store()
        return try Self.reading(store) { transaction in
            let head = try store.head(transaction)
            let edge = try CompactRange(size: head.size) { level, index in
                try store.storedHash(transaction, level: level, index: index)
            }
            guard edge.root == head.root else {
                throw StorageError(
                    .logCorrupt, "the tree does not match the stored root", expected: head.root.hex,
                    found: edge.root.hex, hint: "Run `subledger audit verify --deep`.")
            }
            let last = head.size == 0 ? nil : try store.record(transaction, at: head.size - 1)
            return WriterState(
                edge: edge, lastRecordedAt: last?.record.recordedAt ?? .earliest,
                storedHeaders: try store.headerTexts(transaction).count)
        }
    }
}
