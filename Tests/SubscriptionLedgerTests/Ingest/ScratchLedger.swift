import AppStoreModel
import AppStoreVerification
import EventLog
import FoundationEssentials
import Ingestion
import LedgerModel
import LedgerStorage
import Primitives
import SubscriptionLedger
import Synchronization

/// A ledger in its own folder, whose clock advances by a second per reading.
final class ScratchLedger {
    let folder: DataFolder
    private let configuration: Ledger.Configuration
    private var opened: LedgerWriter?

    private final class Clock: Sendable {
        /// A time in 2027, after the signing of everything that tests ingest.
        private let seconds = Atomic<Int64>(1_800_000_000)

        func tick() -> Instant {
            Instant(milliseconds: seconds.wrappingAdd(1, ordering: .relaxed).newValue * 1_000)
        }
    }

    init(trust: TrustPolicy) throws {
        folder = DataFolder(path: FileManager.default.temporaryDirectory.path + "/subledger-\(UUID().uuidString)")
        let clock = Clock()
        var configuration = Ledger.Configuration(folder: folder) { clock.tick() }
        configuration.mapSizeBytes = 8 << 30
        configuration.trust = trust
        self.configuration = configuration
        opened = try LedgerWriter(configuration)
    }

    /// - Parameter artifacts: the artifacts to ingest first, in this order.
    convenience init(trust: TrustPolicy, ingesting artifacts: [[UInt8]]) async throws {
        try self.init(trust: trust)
        try await ingest(artifacts)
    }

    deinit {
        close()
        try? FileManager.default.removeItem(atPath: folder.path)
    }

    var ledger: LedgerWriter {
        guard let opened else { preconditionFailure("the test closed it") }
        return opened
    }

    func close() {
        opened?.close()
        opened = nil
    }

    func open(mapSizeBytes: Int? = nil, trust: TrustPolicy? = nil) throws {
        var configuration = configuration
        if let mapSizeBytes { configuration.mapSizeBytes = mapSizeBytes }
        if let trust { configuration.trust = trust }
        opened = try LedgerWriter(configuration)
    }

    /// Reopens the ledger, as after a restart, without any state in memory.
    func reopen() throws {
        close()
        opened = try LedgerWriter(configuration)
    }

    /// Ingests artifacts one by one, each durable before the next. A refusal is thrown.
    @discardableResult
    func ingest(_ artifacts: [[UInt8]], as kind: ArtifactKind? = nil) async throws -> [AppendResult] {
        var appended: [AppendResult] = []
        for artifact in artifacts {
            let checked = await ledger.check(artifact, as: kind, source: .file)
            switch try await ledger.append([checked], source: .file)[0] {
            case .appended(let event): appended.append(event)
            case .refused(let refusal, _), .kept(let refusal): throw refusal
            }
        }
        return appended
    }

    /// Ingests artifacts through the pipeline of bulk ingestion, on every core.
    func ingestInBulk(_ artifacts: [[UInt8]]) async throws {
        var pipeline = IngestPipeline(ledger: ledger)
        for (number, artifact) in artifacts.enumerated() {
            let found = ArtifactFile.artifacts(inLine: artifact, file: "artifacts.ndjson", number: number)[0]
            try Self.requireAccepted(try await pipeline.add(found))
        }
        try Self.requireAccepted(try await pipeline.finish())
    }

    private static func requireAccepted(_ results: [IngestPipeline.Result]) throws {
        for result in results {
            if let refusal = result.outcome.refusal { throw refusal }
        }
    }

    var size: UInt64 {
        get throws { try ledger.reader.log.size() }
    }

    /// The verbatim evidence of every event, in log order.
    func evidence() throws -> [[UInt8]] {
        try (0..<size).map { try ledger.reader.log.evidence(at: $0) ?? [] }
    }
}

extension JSONValue {
    /// The text of an answer without positions and recorded times.
    var apartFromPositions: String {
        without(["evidence", "knownAt", "recordedAt", "position"]).serialized()
    }

    private func without(_ keys: Set<String>) -> JSONValue {
        switch self {
        case .object(let members):
            .object(members.filter { !keys.contains($0.key) }.map { .init($0.key, $0.value.without(keys)) })
        case .array(let elements): .array(elements.map { $0.without(keys) })
        default: self
        }
    }
}
