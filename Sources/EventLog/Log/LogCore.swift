import LMDB
import Primitives
import Synchronization

/// What writer and readers of one open log share.
final class LogCore: Sendable {
    private let opened: Reopenable<LogStore>
    private let acknowledged: Mutex<TreeHead>
    let packer: EvidencePacker
    let observers = HeadObservers()
    let statistics = AppendStatistics()

    init(directory: String, options: Environment.Options) throws {
        opened = try Reopenable("the log") { try LogStore(directory: directory, options: options) }
        let store = try opened.current()
        let (head, headers) = try Self.reading(store) { transaction in
            (try store.head(transaction), try store.headerTexts(transaction))
        }
        acknowledged = Mutex(head)
        packer = EvidencePacker(headers: HeaderTable(texts: headers))
    }

    private static func reading<Result>(
        _ store: LogStore, _ body: (borrowing ReadTransaction) throws -> Result
    ) throws -> Result {
        do {
            return try store.environment.read(body)
        } catch let error as LMDBError {
            throw EventLogError(error, while: "the log was not read")
        }
    }

    /// - Throws: `busy` while the environment is being opened again.
    func store() throws(EventLogError) -> LogStore { try opened.current() }

    /// The newest size and root that readers may see.
    var head: TreeHead { acknowledged.withLock { $0 } }

    /// The head, for the holder of the writer's floor: no commit is in progress.
    /// - Throws: `busy` while the log may hold more than is published, after a failed commit.
    func settledHead() throws -> TreeHead {
        let store = try store()
        let stored = try Self.reading(store) { try store.head($0) }
        guard stored == head else {
            throw EventLogError(.busy, "the outcome of a commit is unknown", hint: "Try again.")
        }
        return stored
    }

    func publish(_ head: TreeHead) {
        acknowledged.withLock { $0 = head }
        observers.tell(head)
    }

    /// For the writer, before it learns what the log holds: opens the environment if it could not be opened after a
    /// failed commit. What of that commit is there is published, or followers would not be asked for it.
    func ensureOpen() throws {
        _ = try opened.currentOrReopened()
        try publishStored()
    }

    /// What the writer needs to go on, read from the log. Before the first append after opening.
    func writerState(recent: [(Identity, UInt64)]) throws -> WriterState {
        let store = try store()
        return try Self.reading(store) { transaction in
            let head = try store.head(transaction)
            let edge = try RightEdge(size: head.size) { level, index in
                try store.storedHash(transaction, level: level, index: index)
            }
            guard edge.root == head.root else {
                throw EventLogError(
                    .logCorrupt, "the tree does not lead to the stored root", expected: head.root.hex,
                    found: edge.root.hex, hint: "Run `subledger audit verify --deep`.")
            }
            let last = head.size == 0 ? nil : try store.record(transaction, at: head.size - 1)
            return WriterState(
                edge: edge, lastRecordedAt: last?.record.recordedAt ?? .earliest,
                storedHeaders: try store.headerTexts(transaction).count, recent: recent)
        }
    }

    /// Closes the environment and opens it again, to learn what of a failed commit is there.
    func reopen() throws {
        try opened.reopen()
        try publishStored()
    }

    private func publishStored() throws {
        let store = try store()
        let stored = try Self.reading(store) { try store.head($0) }
        if stored != head { publish(stored) }
    }
}
