import AppStoreVerification
import ArgumentParser
import Crypto
import Glibc
import Ingestion
import LedgerConfiguration
import LedgerServer
import LedgerStorage
import Logging
import NIOCore
import SubscriptionLedger

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the ledger as an HTTP service.",
        discussion: """
            Accepts App Store notifications and signed transactions and returns subscription and customer state. \
            SIGTERM stops the service after it has answered current requests. Without API keys the service listens on \
            the loopback interface only.

            While the service runs, `subledger ingest`, `customer`, `project activate`, `catalog apply`, \
            `rates apply`, `close`, `poll run`, `poll subscription`, `reconcile`, `import` and `quarantine retry` on \
            the same data folder hand their work over to the service.

            With `polling.enabled` in the configuration, the service asks Apple what no notification said: the App Store \
            Server API for the apps that have a key, and verifyReceipt about receipts of the apps that have a shared \
            secret. For the apps with a key it also reconciles with Apple's notification history.

            `exports` in the configuration run every day: as of their instant, with what was recorded by then. A run that \
            was missed is caught up at the start; `subledger export status` shows the last runs.

            EXAMPLES
              subledger serve --bundle-id com.example.app --app-apple-id 1234567890
              subledger serve --config /etc/subledger.yaml --host 0.0.0.0
            """
    )

    @Option(help: "Address to listen on (SUBLEDGER_HOST; default 127.0.0.1).")
    var host: String?

    @Option(help: "Port to listen on, or 0 for any free port (SUBLEDGER_PORT; default 8080).")
    var port: Int?

    @Option(name: .customLong("map-size"), help: "Maximum size of the log in bytes, a multiple of 4096.")
    var mapSizeBytes: Int?

    @Option(
        help: """
            Clock of a simulated App Store to use instead of the wall clock, such as \
            http://127.0.0.1:8090/simulator/clock. Requires a trust root.
            """)
    var clock: String?

    @Option(
        name: .customLong("log-level"),
        help: "Minimum log level: trace, debug, info, notice, warning, error or critical.")
    var logLevel: Settings.Logging.Level?

    @OptionGroup var ledger: LedgerOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard port.map({ 0...65_535 ~= $0 }) ?? true else { throw ValidationError("--port must be from 0 to 65535.") }
        guard mapSizeBytes.map(Settings.Log.isMapSize) ?? true else {
            throw ValidationError("--map-size must be a multiple of 4096 and at least 1 MiB.")
        }
    }

    func run() async throws {
        // A closed pipe on standard error must not end the service.
        signal(SIGPIPE, SIG_IGN)
        let settings = try effectiveSettings()
        let logger = Self.logger(settings.logging)
        do {
            try await ExportPlaces.withPlaces { try await serve(settings, $0, logger) }
        } catch let error as IOError {
            throw CommandFailure(
                code: "io_error", message: "cannot listen on \(settings.http.host):\(settings.http.port)",
                found: String(cString: strerror(error.errnoCode)),
                hint: error.errnoCode == EADDRINUSE ? "Choose another --port or stop the process that uses it." : nil,
                exitCode: CommandFailure.io)
        }
    }

    private func serve(_ settings: Settings, _ places: ExportPlaces, _ logger: Logger) async throws {
        var ledgerConfiguration = try ledger.configuration(trust)
        if let mapSizeBytes { ledgerConfiguration.mapSizeBytes = mapSizeBytes }
        ledgerConfiguration.secrets = SharedSecrets(try SharedSecretFiles.secrets(of: settings.apps))
        let follower = try await followClock(for: &ledgerConfiguration)
        defer { follower?.cancel() }
        // Checked before anything is written to disk.
        try ListenerPolicy.check(settings.http, keys: settings.apiKeys, trust: ledgerConfiguration.trust)
        var configuration = LedgerServer.Configuration()
        configuration.http = settings.http
        configuration.apiKeys = settings.apiKeys
        configuration.customerTokens = try Self.customerTokens(settings.customerTokens)
        configuration.exports = try places.scheduled(settings.exports)
        let writer = try LedgerWriter(ledgerConfiguration, catchesUpInBackground: true)
        let appStore = try AppStoreAccess(settings, writer)
        configuration.isPollingEnabled = settings.polling.enabled
        configuration.polling = appStore.map {
            Polling(
                poller: $0.poller, reconciler: $0.reconciler, connections: $0.connections.all,
                receipts: $0.connections.receipts,
                isEnabled: settings.polling.enabled)
        }
        configuration.importer = try AppStoreAccess.importer(
            appStore, writer, concurrency: settings.polling.concurrency)
        if let appStore {
            configuration.offerSigner = OfferSigner(writer, appStore.connections.credentials)
            if settings.consumption.enabled {
                configuration.consumption = ConsumptionAnswers(
                    writer, appStore.connections.all, settings.consumption)
            }
        }
        let server = try LedgerServer(writer, configuration, logger: logger)
        let host = settings.http.host.contains(":") ? "[\(settings.http.host)]" : settings.http.host
        let stop: @Sendable () -> Void = {
            logger.warning("current calls did not end in time and were cut off")
            _exit(0)
        }
        try await server.run(onTimeout: stop) { port in
            Terminal.standardOutput.write("listening on http://\(host):\(port)\n")
        }
        await appStore?.connections.shutdown()
    }

    /// Replaces the clock of the ledger by that of a simulator.
    /// - Returns: the task that follows it.
    private func followClock(for configuration: inout Ledger.Configuration) async throws -> Task<Void, Never>? {
        guard let clock else { return nil }
        guard !configuration.trust.configuredRoots.isEmpty else {
            throw ConfigurationError(
                "--clock", "a simulator's clock is for a ledger that trusts the simulator",
                expected: "--trust-root with the simulator's root certificate", found: "Apple's roots alone")
        }
        let simulator = try await SimulatorClock(url: clock)
        configuration.clock = { simulator.now() }
        return Task { await simulator.follow() }
    }

    private func effectiveSettings() throws -> Settings {
        var settings = try ledger.settings()
        if let host = host ?? ProcessEnvironment.value("SUBLEDGER_HOST") { settings.http.host = host }
        settings.http.port =
            try port ?? Self.variable("SUBLEDGER_PORT", of: "0 to 65535", Self.port) ?? settings.http.port
        settings.logging.level =
            try logLevel
            ?? Self.variable("SUBLEDGER_LOG_LEVEL", of: Settings.Logging.Level.names, Settings.Logging.Level.init)
            ?? settings.logging.level
        return settings
    }

    private static let publicKeyFileLimit = 64 * 1_024

    private static func customerTokens(_ keys: [CustomerTokenKey]) throws -> CustomerTokens {
        var publicKeys: [String: P256.Signing.PublicKey] = [:]
        for key in keys {
            do {
                let pem = try InputFile.bytes(of: key.publicKeyFile, limit: publicKeyFileLimit)
                publicKeys[key.kid] = try CustomerTokens.publicKey(pem: pem, file: key.publicKeyFile)
            } catch let failure as InputFailure {
                throw ConfigurationError(
                    "customerTokens", "the public key file \(key.publicKeyFile) cannot be read", found: failure.reason)
            }
        }
        return CustomerTokens(publicKeys)
    }

    private static func variable<Value>(
        _ name: String, of expected: String, _ read: (String) -> Value?
    ) throws -> Value? {
        guard let text = ProcessEnvironment.value(name) else { return nil }
        guard let value = read(text) else {
            throw ConfigurationError(name, "invalid value", expected: expected, found: text)
        }
        return value
    }

    private static func port(_ text: String) -> Int? {
        Int(text).flatMap { 0...65_535 ~= $0 ? $0 : nil }
    }

    private static func logger(_ settings: Settings.Logging) -> Logger {
        Logger(label: "subledger") { _ in
            LineLogHandler(settings, clock: SystemClock.now) { Terminal.standardError.write($0) }
        }
    }
}

extension Settings.Logging.Level: ExpressibleByArgument {
    fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
