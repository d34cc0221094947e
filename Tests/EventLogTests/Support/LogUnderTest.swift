import Dispatch
import EventLog
import FoundationEssentials
import LMDB
import LedgerStorage
import LedgerTesting
import Primitives
import Synchronization
import Testing
import TransparencyLog

/// A log in its own folder, with its clock and an observer. It can be closed and reopened.
final class LogUnderTest: Sendable {
    let temporary: TemporaryFolder
    let folder: DataFolder
    let clock = TestClock()
    let observer = RecordingObserver()

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.data()
    }

    /// Creates a copy of the files of another log.
    init(copying other: LogUnderTest) throws {
        temporary = try TemporaryFolder()
        folder = DataFolder(path: temporary.path + "/data")
        try FileManager.default.copyItem(atPath: other.folder.path, toPath: folder.path)
    }

    func configuration(mapSizeBytes: Int = 1 << 30, groupCommitEvents: Int = 2_000) -> LogWriter.Configuration {
        var log = LogConfiguration(directory: folder.log)
        log.mapSizeBytes = mapSizeBytes
        var configuration = LogWriter.Configuration(log: log, duplicateIndex: folder.identities) { [clock] in
            clock.read()
        }
        configuration.groupCommitEvents = groupCommitEvents
        return configuration
    }

    /// Opens the log for writing, and closes it after `body`.
    @discardableResult
    func writing<Result>(
        with configuration: LogWriter.Configuration? = nil, _ body: (LogWriter) async throws -> Result
    ) async throws -> Result {
        let log = try LogWriter(configuration ?? self.configuration()) { [observer] in observer.observe($0) }
        defer { log.close() }
        return try await body(log)
    }

    func reading<Result>(_ body: (LogReader) throws -> Result) throws -> Result {
        try body(LogReader(configuration().log))
    }

    /// Removes the duplicate index; the log must be closed.
    func removeDuplicateIndex() throws {
        try FileManager.default.removeItem(atPath: folder.identities)
        try folder.create()
    }

    /// Opens the LMDB environment directly, as LMDB's tools would.
    func tampering<Result>(_ body: (LMDB.Environment) throws -> Result) throws -> Result {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = 1 << 30
        return try body(LMDB.Environment(directory: folder.log, options: options))
    }
}

/// A clock that tests set, and that can block its callers. The writer reads it once per group.
final class TestClock: Sendable {
    private struct State {
        var now = Instant(milliseconds: 1_768_478_400_000)
        var isHolding = false
    }

    private let state = Mutex(State())
    private let asked = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    var now: Instant {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    func read() -> Instant {
        if state.withLock({ $0.isHolding }) {
            asked.signal()
            released.wait()
        }
        return now
    }

    /// Blocks every later caller.
    func hold() {
        state.withLock { $0.isHolding = true }
    }

    /// Waits until a caller is blocked.
    func waitUntilAsked() {
        asked.wait()
    }

    /// Releases the blocked caller and stops blocking.
    func release() {
        state.withLock { $0.isHolding = false }
        released.signal()
    }
}

/// Records the commits that it observes.
final class RecordingObserver: Sendable {
    private let commits = Mutex<[[CommittedEvent]]>([])

    var groups: [[CommittedEvent]] { commits.withLock { $0 } }
    var events: [CommittedEvent] { groups.flatMap(\.self) }

    func observe(_ events: [CommittedEvent]) {
        commits.withLock { $0.append(events) }
    }
}

extension EventDraft {
    /// A draft for an invented key: a notification if `uuid` is given, else a transaction.
    static func sample(
        _ key: String, uuid: String? = nil, environment: EnvironmentCode = .sandbox, evidence: Evidence? = nil,
        body: String = "{}"
    ) -> EventDraft {
        let artifact: ArtifactCode = uuid == nil ? .transaction : .notificationV2
        return EventDraft(
            kind: uuid == nil ? .transactionVerified : .notificationReceived, source: .http, environment: environment,
            artifact: artifact, trust: .signed,
            idempotencyKey: IdempotencyKey(artifact: artifact, environment: environment, key: Array(key.utf8)),
            notificationKey: uuid.map {
                IdempotencyKey(notificationUUID: $0, environment: environment, bundleId: "com.example.app")
            },
            evidence: evidence ?? jws(key, uuid).evidence, verifiedAt: Instant(milliseconds: 1_768_478_340_000),
            leafCertificate: .sha256(of: [1]), rootCertificate: .sha256(of: [2]),
            body: Array((uuid.map { #"{"notificationUUID":"\#($0)"}"# } ?? body).utf8), attachment: key)
    }

    /// A JWS for a key; the keys share five headers.
    private static func jws(_ key: String, _ uuid: String?) -> SampleJWS {
        let signature = Digest.sha256(of: Array(key.utf8)).bytes
        let data = uuid.map { #","notificationUUID":"\#($0)","data":{"bundleId":"com.example.app"}"# } ?? ""
        return SampleJWS(
            header: Array("header\(signature[0] % 5)".utf8), payload: Array(#"{"key":"\#(key)"\#(data)}"#.utf8),
            signature: signature + signature)
    }
}

/// The outcome of an append, with the position in the answer.
enum Outcome: Hashable {
    case new(UInt64)
    /// The same artifact was present; nothing was appended.
    case known(UInt64)
    /// A re-signed retry was appended; the position is that of the first.
    case repeated(UInt64)

    init(_ appended: AppendResult) {
        self =
            switch (appended.isDuplicate, appended.isAppended) {
            case (false, _): .new(appended.position)
            case (true, true): .repeated(appended.position)
            case (true, false): .known(appended.position)
            }
    }
}

extension LogWriter {
    @discardableResult
    func append(_ drafts: [EventDraft]) async throws -> [Outcome] {
        try await append(drafts.map(prepare)).map(Outcome.init)
    }

    func append(
        _ drafts: [EventDraft], expecting outcomes: [Outcome], _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await append(drafts)
        #expect(found == outcomes, "seed \(SeededRandom.seed)", sourceLocation: location)
    }

    /// Offers drafts to the writer before it returns.
    func offer(_ drafts: [EventDraft]) -> Task<[Outcome], any Error> {
        offer(drafts.map(prepare))
    }

    func offer(_ events: [PreparedEvent]) -> Task<[Outcome], any Error> {
        // An immediate task runs up to its first suspension, where `append` waits for the writer.
        Task.immediate { try await append(events).map(Outcome.init) }
    }

    func head() throws -> TreeHead { try reader.head() }
    func size() throws -> UInt64 { try reader.size() }
    func record(at position: UInt64) throws -> Record? { try reader.record(at: position) }
    func evidence(at position: UInt64) throws -> [UInt8]? { try reader.evidence(at: position) }
}

extension LogReader {
    func leafHashes() throws -> [Digest] {
        try (0..<head().size).map { position in
            MerkleTree.leafHash(of: try #require(try record(at: position)).bytes)
        }
    }
}

extension Task where Success == [Outcome], Failure == any Error {
    func expect(_ outcomes: [Outcome], _ location: SourceLocation = #_sourceLocation) async throws {
        let found = try await value
        #expect(found == outcomes, sourceLocation: location)
    }
}
