import AppStoreVerification
import EventLog
package import Hummingbird
import HummingbirdCore
package import LedgerConfiguration
package import Logging
import NIOCore
package import ServiceLifecycle
package import SubscriptionLedger
package import UnixSignals

/// The HTTP service of a ledger.
package struct LedgerServer: Sendable {
    package struct Configuration: Sendable {
        package var http = Settings.HTTP()
        package var apiKeys: [APIKey] = []
        package var customerTokens = CustomerTokens()
        /// Measures calls, refills their allowance, and ages the checkpoint.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }

        package init() {}
    }

    let configuration: Configuration
    private let logger: Logger
    let served: ServedLedger

    /// - Parameter ledger: opened for writing; `run` closes it.
    /// - Throws: `ConfigurationError` for a listener that must not be; `EventLogError` when nothing can be published.
    package init(_ ledger: Ledger, _ configuration: Configuration, logger: Logger) throws {
        try ListenerPolicy.check(
            host: configuration.http.host, keys: configuration.apiKeys, trust: ledger.configuration.trust)
        self.configuration = configuration
        self.logger = logger
        let signer = try CheckpointKey.loadOrMake(in: ledger.configuration.folder, origin: ledger.log.origin)
        served = ServedLedger(
            ledger: ledger,
            checkpoint: try PublishedCheckpoint(of: ledger.log, in: ledger.configuration.folder, signer: signer),
            transitions: try ledger.transitions(), followers: Followers(limit: ServerLimits.followers),
            metrics: Metrics())
    }

    /// Every route, in the order of the specification.
    package var routes: [any Route] {
        let publishing = configuration.http.publicTiles ? Access.anybody : .auditing
        return customerRoutes + [
            EventsRoute(served: served), TransitionsRoute(served: served),
            EvidenceRoute(served: served), EvidenceListRoute(served: served),
            CheckpointRoute(access: publishing, served: served), TileRoute(access: publishing, served: served),
            HealthRoute(), ReadinessRoute(served: served), MetricsRoute(served: served), SpecificationRoute(),
        ]
    }

    private var customerRoutes: [any Route] {
        [
            NotificationsRoute(served: served),
            TransactionsRoute(customerTokens: configuration.customerTokens, served: served),
            CustomerRoute(served: served), CustomerHistoryRoute(served: served), IdentifyRoute(served: served),
        ] + CustomerChange.allCases.map { CustomerChangeRoute(change: $0, served: served) } + [
            SubscriptionRoute(served: served), SubscriptionHistoryRoute(served: served),
            SubscriptionCustomerRoute(served: served),
        ]
    }

    /// The service as Hummingbird runs it.
    ///
    /// - Parameters:
    ///   - extraRoutes: more routes under the same key ring, log and metrics, for measurements.
    ///   - onListening: called with the port once calls are taken.
    package func application(
        extraRoutes: [any Route] = [], onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        Application(
            router: router(routes + extraRoutes), server: .http1(configuration: Self.channel),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.http.host, port: configuration.http.port),
                availableConnectionsDelegate: MaximumAvailableConnections(ServerLimits.connections)),
            services: [
                ReaderMaintenance(ledger: served.ledger, transitions: served.transitions, logger: logger),
                FollowerService(
                    log: served.ledger.log, transitions: served.transitions, followers: served.followers),
            ],
            onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }, logger: logger)
    }

    private func router(_ routes: [any Route]) -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        let keys = KeyRing(configuration.apiKeys)
        for route in routes {
            router.on(
                route.pattern, method: route.method,
                responder: RouteResponder(
                    route: route, keys: keys, metrics: served.metrics.route(route.template),
                    now: configuration.now))
        }
        // Middleware applies to what is added after it: here, to what no route matches.
        router.add(
            middleware: UnknownRouteResponder(routes: routes, metrics: served.metrics.route("unknown")))
        return router
    }

    private static var channel: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestDeadline(.seconds(ServerLimits.readSeconds))],
            idleTimeout: .seconds(ServerLimits.readSeconds),
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: ServerLimits.headerBytes, maxHeaderListSize: ServerLimits.headerBytes,
                maxHeaderFieldCount: ServerLimits.headerFields))
    }

    /// Serves until SIGTERM or SIGINT; then takes no more calls, lets those at work end, and closes the ledger.
    package func run(onListening: @escaping @Sendable (_ port: Int) -> Void) async throws {
        defer { served.ledger.close() }
        for (level, note) in startUpNotes { logger.log(level: level, "\(note)") }
        try await serviceGroup(stoppedBy: [.sigterm, .sigint], onListening: onListening).run()
        logger.info("stopped")
    }

    /// What runs until it is told to stop, and then gives the calls at work their time.
    package func serviceGroup(
        stoppedBy signals: [UnixSignal] = [], onListening: @escaping @Sendable (_ port: Int) -> Void
    ) -> ServiceGroup {
        var group = ServiceGroupConfiguration(
            services: [.init(service: application(onListening: onListening))], gracefulShutdownSignals: signals,
            logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(ServerLimits.shutdownSeconds)
        return ServiceGroup(configuration: group)
    }
}
