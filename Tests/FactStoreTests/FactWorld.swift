import AppStoreModel
import Dispatch
import EventLog
import FactStore
import FoundationEssentials
import LedgerModel
import LedgerStorage
import Primitives

/// A log and its fact index in their own folder. The evidence of an event is the stored form of its facts, so decoding
/// only reads them.
final class FactWorld {
    private let path: String
    let folder: DataFolder
    /// The log and its fact index; nil while closed.
    private var opened: (log: LogWriter, facts: FactIndex)?
    static let mapSizeBytes = 1 << 30
    static let now = Instant(milliseconds: 1_768_478_400_000)
    /// The time at which events are recorded after the next `open()`.
    var clock = now

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/fact-tests-\(UUID().uuidString)"
        folder = DataFolder(path: path)
        try folder.create()
        try open()
    }

    deinit {
        close()
        try? FileManager.default.removeItem(atPath: path)
    }

    var log: LogWriter {
        guard let opened else { preconditionFailure("the test closed it") }
        return opened.log
    }

    var facts: FactIndex {
        guard let opened else { preconditionFailure("the test closed it") }
        return opened.facts
    }

    /// Opens both; facts that are not stored are decoded in the background, each after `gate` is signalled.
    func open(decodingThrough gate: DispatchSemaphore) throws {
        let facts = try FactIndex(writing: folder, mapSizeBytes: Self.mapSizeBytes) {
            gate.wait()
            return Self.decode($0, $1)
        }
        let log = try LogWriter(configuration) { facts.observe($0) }
        try facts.start(catchingUpWith: log.reader)
        opened = (log, facts)
    }

    func open() throws {
        let facts = try FactIndex(
            writing: folder, mapSizeBytes: Self.mapSizeBytes, decoder: Self.decode)
        let log = try LogWriter(configuration) { facts.observe($0) }
        try facts.requireEvents(of: log.reader)
        try facts.catchUp(with: log.reader)
        opened = (log, facts)
    }

    private var configuration: LogWriter.Configuration {
        LogWriter.Configuration(log: logConfiguration, duplicateIndex: folder.identities) { [clock] in clock }
    }

    private var logConfiguration: LogConfiguration {
        var configuration = LogConfiguration(directory: folder.log)
        configuration.mapSizeBytes = Self.mapSizeBytes
        return configuration
    }

    /// Closes both. Pending events that were not stored are lost, as in a crash.
    func close() {
        opened?.log.close()
        opened?.facts.close()
        opened = nil
    }

    func reopen() throws {
        close()
        try open()
    }

    /// Opens the same folder as a read-only process; the writer must be closed.
    func reading<Result>(_ body: (LogReader, FactIndex) throws -> Result) throws -> Result {
        let log = try LogReader(logConfiguration)
        let facts = try FactIndex(
            reading: folder, mapSizeBytes: Self.mapSizeBytes, decoder: Self.decode)
        try facts.catchUp(with: log)
        return try body(log, facts)
    }

    /// Removes all derived data; the world must be closed.
    func removeDerived() throws {
        try FileManager.default.removeItem(atPath: folder.derived)
        try folder.create()
    }

    /// Removes the log and keeps the derived data; the world must be closed.
    func removeLog() throws {
        try FileManager.default.removeItem(atPath: folder.log)
        try folder.create()
    }

    /// Replaces the log with that of another world; both must be closed.
    func takeLog(of other: FactWorld) throws {
        try FileManager.default.removeItem(atPath: folder.log)
        try FileManager.default.copyItem(atPath: other.folder.log, toPath: folder.log)
    }

    private static func decode(_ record: Record, _ evidence: EventEvidence) -> IndexedFacts {
        EventFacts(bytes: evidence.verbatim ?? [], position: record.position, recordedAt: record.recordedAt).map {
            IndexedFacts($0)
        }
            ?? .none
    }

    /// - Parameter events: the numbers of the observations of each event.
    func append(_ events: [[Int]]) async throws -> [AppendResult] {
        let log = log
        return try await log.append(
            events.map { numbers in
                let facts = EventFacts(numbers.map { .sample($0) })
                return log.prepare(
                    EventDraft(
                        kind: .transactionVerified, source: .file, environment: .sandbox, artifact: .transaction,
                        trust: .signed, idempotencyKey: Self.idempotencyKey(of: numbers),
                        evidence: Evidence(bytes: facts.bytes),
                        verifiedAt: Self.now, attachment: IndexedFacts(facts)))
            })
    }

    static func idempotencyKey(of numbers: [Int]) -> IdempotencyKey {
        IdempotencyKey(artifact: .transaction, environment: .sandbox, key: Array("\(numbers)".utf8))
    }
}
