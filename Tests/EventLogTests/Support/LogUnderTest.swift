import Dispatch
import EventLog
import FoundationEssentials
import LMDB
import Primitives
import Synchronization
import TestSupport
import Testing

/// A log in a folder of its own, the clock it reads, and who follows it; it can be closed and opened again.
final class LogUnderTest: Sendable {
    let temporary: TemporaryFolder
    let folder: DataFolder
    let clock = TestClock()
    let follower = MemoryFollower()

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.data()
    }

    /// A copy of another one's files.
    init(copying other: LogUnderTest) throws {
        temporary = try TemporaryFolder()
        folder = DataFolder(path: temporary.path + "/data")
        try FileManager.default.copyItem(atPath: other.folder.path, toPath: folder.path)
    }

    func configuration(mapSizeBytes: Int = 1 << 30, groupCommitEvents: Int = 2_000) -> EventLog.Configuration {
        var configuration = EventLog.Configuration(directory: folder.log) { [clock] in clock.read() }
        configuration.mapSizeBytes = mapSizeBytes
        configuration.groupCommitEvents = groupCommitEvents
        return configuration
    }

    /// Opens the log for writing, and closes it when `body` is done.
    @discardableResult
    func writing<Result>(
        with configuration: EventLog.Configuration? = nil, _ body: (EventLog) async throws -> Result
    ) async throws -> Result {
        let log = try EventLog(
            writing: configuration ?? self.configuration(), origin: nil, follower: follower.asFollower)
        defer { log.close() }
        return try await body(log)
    }

    func reading<Result>(_ body: (EventLog) throws -> Result) throws -> Result {
        try body(EventLog(reading: configuration(), origin: nil))
    }

    /// Opens the environment beneath, as somebody with LMDB's tools would.
    func tampering<Result>(_ body: (LMDB.Environment) throws -> Result) throws -> Result {
        var options = LMDB.Environment.Options()
        options.mapSizeBytes = 1 << 30
        return try body(LMDB.Environment(directory: folder.log, options: options))
    }
}

/// A clock that tells what it is set to, and can hold whoever asks: the writer, which asks once for each group.
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

    /// From now on whoever asks waits.
    func hold() {
        state.withLock { $0.isHolding = true }
    }

    /// Waits until somebody waits for the clock.
    func waitUntilAsked() {
        asked.wait()
    }

    /// Lets go of who waits, and holds nobody any more.
    func release() {
        state.withLock { $0.isHolding = false }
        released.signal()
    }
}

/// Keeps in memory what a derived store would: the identities of events that are applied, and of those that are not.
final class MemoryFollower: Sendable {
    private struct State {
        var groups: [[CommittedEvent]] = []
        var applied: UInt64 = 0
        var stored: [Identity: UInt64] = [:]
    }

    private let state = Mutex(State())

    /// What each commit brought.
    var groups: [[CommittedEvent]] { state.withLock { $0.groups } }

    var events: [CommittedEvent] { groups.flatMap(\.self) }

    /// Applies the events below a size.
    func apply(below size: UInt64) {
        state.withLock { state in
            for event in state.groups.joined() where state.applied..<max(size, state.applied) ~= event.record.position {
                for identity in event.identities where state.stored[identity] == nil {
                    state.stored[identity] = event.record.position
                }
            }
            state.applied = max(size, state.applied)
        }
    }

    var asFollower: LogFollower {
        LogFollower(
            storedIdentities: { [self] wanted in
                state.withLock { state in state.stored.filter { wanted.contains($0.key) } }
            },
            unappliedIdentities: { [self] in
                state.withLock { state in
                    state.groups.joined().filter { $0.record.position >= state.applied }
                        .flatMap { event in event.identities.map { ($0, event.record.position) } }
                }
            },
            appliedSize: { [self] in state.withLock { $0.applied } },
            committed: { [self] events in state.withLock { $0.groups.append(events) } })
    }
}

extension CommittedEvent {
    fileprivate var identities: [Identity] { [record.identity, repeatIdentity].compactMap(\.self) }
}

extension EventDraft {
    /// A notification of a made-up key.
    /// - Parameter uuid: what the key repeats, if another key had it before.
    static func sample(
        _ key: String, uuid: String? = nil, environment: EnvironmentCode = .sandbox, evidence: Evidence? = nil,
        body: String = "{}"
    ) -> EventDraft {
        let evidence = evidence ?? jws(key).evidence
        return EventDraft(
            kind: .notificationReceived, source: .http, environment: environment, artifact: .notificationV2,
            trust: .signed,
            identity: Identity(artifact: .notificationV2, environment: environment, key: Array(key.utf8)),
            repeatIdentity: uuid.map {
                Identity(notificationUUID: $0, environment: environment, bundleId: "com.example.app")
            },
            evidence: evidence, verifiedAt: Instant(milliseconds: 1_768_478_340_000),
            leafCertificate: .sha256(of: [1]), rootCertificate: .sha256(of: [2]), body: Array(body.utf8),
            facts: Array(key.utf8))
    }

    /// Keys share a handful of headers.
    private static func jws(_ key: String) -> SampleJWS {
        let signature = Digest.sha256(of: Array(key.utf8)).bytes
        return SampleJWS(
            header: Array("header\(signature[0] % 5)".utf8), payload: Array(#"{"key":"\#(key)"}"#.utf8),
            signature: signature + signature)
    }
}

/// What became of a draft, with the position answered.
enum Outcome: Hashable {
    case new(UInt64)
    /// The same artifact was there; nothing was appended.
    case known(UInt64)
    /// A re-signed retry was appended; the position is that of the first.
    case repeated(UInt64)

    init(_ appended: Appended) {
        self =
            switch (appended.isDuplicate, appended.isAppended) {
            case (false, _): .new(appended.position)
            case (true, true): .repeated(appended.position)
            case (true, false): .known(appended.position)
            }
    }
}

extension EventLog {
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
        // An immediate task runs up to its first suspension, which is where `append` waits for the writer.
        Task.immediate { try await append(events).map(Outcome.init) }
    }

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
