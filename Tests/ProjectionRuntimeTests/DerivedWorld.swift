import AppStoreModel
import AppStoreTranslation
import EventLog
import FoundationEssentials
import LedgerModel
import Primitives
import ProjectionRuntime
import Synchronization

/// A log and what is derived from it, in a folder of their own. The evidence of its events is their facts as stored,
/// so that deriving anew is reading them.
final class DerivedWorld {
    private let path: String
    private let folder: DataFolder
    /// Nil while closed.
    private var opened: (log: EventLog, derived: Derived)?
    static let mapSizeBytes = 1 << 30
    static let now = Instant(milliseconds: 1_768_478_400_000)

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/derived-tests-\(UUID().uuidString)"
        folder = DataFolder(path: path)
        try folder.create()
        try open()
    }

    deinit {
        close()
        try? FileManager.default.removeItem(atPath: path)
    }

    var log: EventLog {
        guard let opened else { preconditionFailure("the test closed it") }
        return opened.log
    }

    var derived: Derived {
        guard let opened else { preconditionFailure("the test closed it") }
        return opened.derived
    }

    var derivedDirectory: String { folder.derived }

    func open() throws {
        let derived = try Derived(
            writing: folder.derived, mapSizeBytes: Self.mapSizeBytes, decoder: Self.decode)
        final class Reference: Sendable {
            struct Weak {
                weak var log: EventLog?
            }
            let weak = Mutex(Weak())
        }
        let reference = Reference()
        let log = try EventLog(
            writing: configuration, origin: nil, follower: derived.follower { reference.weak.withLock { $0.log } })
        reference.weak.withLock { $0.log = log }
        try derived.requireNoMore(than: log)
        try derived.catchUp(with: log)
        opened = (log, derived)
    }

    private var configuration: EventLog.Configuration {
        var configuration = EventLog.Configuration(directory: folder.log) { Self.now }
        configuration.mapSizeBytes = Self.mapSizeBytes
        return configuration
    }

    /// What is in the tail is lost, as in a crash, unless it was applied before.
    func close() {
        opened?.log.close()
        opened?.derived.close()
        opened = nil
    }

    func reopen() throws {
        close()
        try open()
    }

    /// Opens the same folder as a process that only reads; the writer must be closed.
    func reading<Result>(_ body: (EventLog, Derived) throws -> Result) throws -> Result {
        let log = try EventLog(reading: configuration, origin: nil)
        let derived = try Derived(
            reading: folder.derived, mapSizeBytes: Self.mapSizeBytes, decoder: Self.decode)
        try derived.catchUp(with: log)
        return try body(log, derived)
    }

    /// Throws away all that is derived; it must be closed.
    func removeDerived() throws {
        try FileManager.default.removeItem(atPath: folder.derived)
        try folder.create()
    }

    /// Puts the log back to nothing, and keeps what is derived; it must be closed.
    func removeLog() throws {
        try FileManager.default.removeItem(atPath: folder.log)
        try folder.create()
    }

    private static func decode(_ record: Record, _ evidence: [UInt8]) -> DerivedEvent {
        DerivedEvent(
            position: record.position, recordedAt: record.recordedAt, identity: record.identity, repeatIdentity: nil,
            facts: evidence,
            indexTerms: EventFacts(bytes: evidence, position: record.position, recordedAt: record.recordedAt)?
                .indexTerms ?? [])
    }

    /// - Parameter events: the numbers of the observations of each.
    func append(_ events: [[Int]]) async throws -> [Appended] {
        let log = log
        return try await log.append(
            events.map { numbers in
                let facts = EventFacts(numbers.map { .sample($0) })
                return log.prepare(
                    EventDraft(
                        kind: .transactionVerified, source: .file, environment: .sandbox, artifact: .transaction,
                        trust: .signed, identity: Self.identity(of: numbers), evidence: Evidence(bytes: facts.bytes),
                        verifiedAt: Self.now, facts: facts.bytes, indexTerms: facts.indexTerms))
            })
    }

    static func identity(of numbers: [Int]) -> Identity {
        Identity(artifact: .transaction, environment: .sandbox, key: Array("\(numbers)".utf8))
    }
}
