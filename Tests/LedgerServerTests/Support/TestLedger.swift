import AppStoreModel
import AppStoreSimulation
import AppStoreVerification
import EventLog
import FoundationEssentials
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LedgerConfiguration
import LedgerServer
import LedgerStorage
import Primitives
import SubscriptionLedger

/// A ledger with a server. When the test releases it, it is closed, and its folder is removed unless the test gave it.
final class TestLedger: Sendable {
    let clock: TestClock
    let ledger: LedgerWriter
    let server: LedgerServer
    let log = CapturedLog()
    /// The monotonic clock of the server.
    let time = TestTime()
    let polling: Polling?
    private let keepsFolder: Bool

    /// - Parameters:
    ///   - apps: the accepted apps; empty accepts any app.
    ///   - folder: a folder to keep, so that it can be reopened; nil for a new one.
    ///   - adjust: further changes to the configuration.
    ///   - serve: further changes to the configuration of the server.
    init(
        keys: [TestKey] = [], customerTokens: CustomerTokens = CustomerTokens(), publicTiles: Bool = false,
        metricsKey: Bool = true,
        apps: [TrustPolicy.App] = [TrustPolicy.App(bundleId: "com.example.app", appAppleId: 1_234_567_890)],
        at instant: Instant = Sample.end, folder: DataFolder? = nil,
        adjust: (inout Ledger.Configuration) -> Void = { _ in },
        serve: (inout LedgerServer.Configuration, LedgerWriter) throws -> Void = { _, _ in }
    ) throws {
        let clock = TestClock(instant)
        self.clock = clock
        keepsFolder = folder != nil
        var configuration = Ledger.Configuration(folder: folder ?? Self.newFolder(), clock: { clock.now })
        configuration.mapSizeBytes = 1 << 30
        configuration.trust = TrustPolicy(
            apps: apps, configuredRoots: [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)])
        adjust(&configuration)
        ledger = try LedgerWriter(configuration)
        var serving = LedgerServer.Configuration()
        serving.http.publicTiles = publicTiles
        serving.http.metricsKey = metricsKey
        serving.http.port = 0
        serving.apiKeys = keys.map(\.configured)
        serving.customerTokens = customerTokens
        serving.now = { [time] in time.now }
        try serve(&serving, ledger)
        polling = serving.polling
        server = try LedgerServer(ledger, serving, logger: log.logger())
    }

    deinit {
        ledger.close()
        if !keepsFolder { try? FileManager.default.removeItem(atPath: ledger.configuration.folder.path) }
    }

    static func newFolder() -> DataFolder {
        DataFolder(path: FileManager.default.temporaryDirectory.appending(path: "server-\(UUID().uuidString)").path)
    }

    /// Calls the routes without a network.
    func calls<Value>(_ body: @Sendable (any TestClientProtocol) async throws -> Value) async throws -> Value {
        try await server.application().test(.router, body)
    }

    /// Returns the served checkpoint of the head. The clock is advanced first, because the server renews the checkpoint
    /// at most once per second.
    func checkpoint(_ client: any TestClientProtocol, _ headers: HTTPFields = [:]) async throws -> TestResponse {
        time.advance(by: .seconds(60))
        return try await client.get("/checkpoint", headers)
    }

    /// Appends artifacts without the server.
    func append(_ artifacts: [SignedStoreArtifact]) async throws {
        for artifact in artifacts {
            let checked = await ledger.check(artifact.jws.compact, source: .file)
            _ = try await ledger.append([checked], source: .file)
        }
    }

    /// Appends artifacts without the server, in one transaction.
    func appendAtOnce(_ artifacts: [SignedStoreArtifact]) async throws {
        var checked: [CheckedArtifact] = []
        for artifact in artifacts { checked.append(await ledger.check(artifact.jws.compact, source: .file)) }
        _ = try await ledger.append(checked, source: .file)
    }
}
