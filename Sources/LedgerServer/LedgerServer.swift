import AppStoreVerification
package import Exports
import Glibc
import HTTPConnections
package import Hummingbird
import HummingbirdCore
package import LedgerConfiguration
import LedgerStorage
package import Logging
import NIOCore
import Primitives
package import ServiceLifecycle
package import SubscriptionLedger
package import UnixSignals

/// The HTTP service of a ledger.
package struct LedgerServer: Sendable {
    package struct Configuration: Sendable {
        package var http = Settings.HTTP()
        package var apiKeys: [APIKey] = []
        package var customerTokens = CustomerTokens()
        /// Nil without a key for the App Store Server API and a shared secret.
        package var polling: Polling?
        /// Whether polling is enabled, also when there is no app to ask about.
        package var isPollingEnabled = false
        /// Nil for an importer that asks nobody.
        package var importer: Importer?
        /// Nil for one without keys.
        package var offerSigner: OfferSigner?
        package var consumption: ConsumptionAnswers?
        /// The exports on a schedule.
        package var exports: [ScheduledExport] = []
        /// The clock for call durations, rate limits and the age of the checkpoint.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }

        package init() {}
    }

    let configuration: Configuration
    private let logger: Logger
    let context: RouteContext
    private let clients = Clients()

    /// - Parameter ledger: opened for writing; `run` closes it.
    /// - Throws: `ConfigurationError` for a listener that `ListenerPolicy` rejects; `StorageError` when the checkpoint
    ///   or the feed of transitions cannot be opened.
    package init(_ ledger: LedgerWriter, _ configuration: Configuration, logger: Logger) throws {
        try ListenerPolicy.check(configuration.http, keys: configuration.apiKeys, trust: ledger.configuration.trust)
        self.configuration = configuration
        self.logger = logger
        context = RouteContext(
            ledger: ledger,
            checkpoint: try CheckpointPublisher(of: ledger),
            transitions: try ledger.transitions(), subscribers: Subscribers(limit: ServerLimits.subscribers),
            metrics: Metrics(), polling: configuration.polling,
            importer: try configuration.importer
                ?? Importer(ledger, [], PollStore(writing: ledger.configuration.folder)),
            offerSigner: configuration.offerSigner ?? OfferSigner(ledger, [:]),
            exports: ExportScheduler(ledger, configuration.exports))
    }

    /// Every route, in the order of the specification.
    package var routes: [any Route] {
        let publishing = configuration.http.publicTiles ? Access.anybody : .auditing
        return customerRoutes + [
            EventsRoute(context: context), TransitionsRoute(context: context),
            EvidenceRoute(context: context), EvidenceListRoute(context: context),
            CheckpointRoute(access: publishing, context: context), TileRoute(access: publishing, context: context),
            HealthRoute(), ReadinessRoute(context: context),
            MetricsRoute(access: configuration.http.metricsKey ? .metrics : .anybody, context: context),
            SpecificationRoute(),
        ]
    }

    private var customerRoutes: [any Route] {
        [
            NotificationsRoute(context: context),
            TransactionsRoute(customerTokens: configuration.customerTokens, context: context),
            CustomerRoute(context: context), CustomerHistoryRoute(context: context),
        ] + CustomerChange.Kind.allCases.map { CustomerChangeRoute(kind: $0, context: context) } + [
            EraseRoute(context: context), ReportRoute(context: context),
            SubscriptionRoute(context: context), SubscriptionHistoryRoute(context: context),
            SubscriptionCustomerRoute(context: context), OffersRoute(context: context),
            ConsentRoute(context: context), OfferSignaturesRoute(context: context), ImportsRoute(context: context),
            CohortsRoute(context: context), ChurnRoute(context: context),
            RevenueRoute(context: context),
        ]
    }

    /// The routes of the commands that other processes hand over.
    private var controlRoutes: [any Route] {
        CustomerChange.Kind.allCases.map { CustomerChangeRoute(kind: $0, source: .operator, context: context) }
            + [
                IngestRoute(context: context), ActivationRoute(context: context), CatalogRoute(context: context),
                RatesRoute(context: context), CloseRoute(context: context), PollRoute(context: context),
                ReconcileRoute(context: context), ErasureRoute(context: context),
                ImportsRoute(template: "/control/imports", isFollowing: true, context: context),
                RevenueCatRoute(context: context),
            ]
    }

    /// Returns the Hummingbird application that serves the routes.
    ///
    /// - Parameters:
    ///   - extraRoutes: additional routes with the same key ring, log and metrics, for measurements.
    ///   - onListening: called with the port once the server accepts connections.
    package func application(
        extraRoutes: [any Route] = [], onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        listener(routes + extraRoutes, onListening: onListening)
    }

    private func listener(
        _ routes: [any Route], onListening: @escaping @Sendable (_ port: Int) -> Void
    ) -> Application<RouterResponder<LedgerRequestContext>> {
        Application(
            router: router(routes, KeyRing(configuration.apiKeys)) { Problem(any: $0) },
            server: .closingAll(channel),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.http.host, port: configuration.http.port),
                availableConnectionsDelegate: MaximumAvailableConnections(ServerLimits.connections)),
            services: services,
            onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }, logger: logger)
    }

    private var services: [any Service] {
        var services: [any Service] = [
            ReaderMaintenance(ledger: context.reader, transitions: context.transitions, logger: logger),
            SubscriberService(
                ledger: context.ledger, transitions: context.transitions, subscribers: context.subscribers),
        ]
        services.append(ImportService(context: context, logger: logger))
        if let answers = configuration.consumption {
            services.append(ConsumptionService(answers: answers, context: context, logger: logger))
        }
        if let polling = context.polling, polling.isEnabled {
            services.append(PollService(polling: polling, context: context, logger: logger))
            services.append(ReconcileService(polling: polling, context: context, logger: logger))
        }
        if !context.exports.exports.isEmpty { services.append(ExportService(context: context, logger: logger)) }
        return services
    }

    private func router(
        _ routes: [any Route], _ keys: KeyRing, problem: @escaping @Sendable (any Error) -> Problem
    ) -> Router<LedgerRequestContext> {
        let router = Router(context: LedgerRequestContext.self)
        for route in routes {
            router.on(
                route.pattern, method: route.method,
                responder: RouteResponder(
                    route: route, keys: keys, clients: clients, metrics: context.metrics.route(route.template),
                    now: configuration.now, problem: problem))
        }
        // Middleware applies only to what is added after it. Here, that is the response to requests without a route.
        router.add(
            middleware: UnknownRouteResponder(routes: routes, metrics: context.metrics.route("unknown")))
        return router
    }

    private var channel: HTTP1Channel.Configuration {
        HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                RequestDeadline(.seconds(ServerLimits.readSeconds), pausing: ImportsRoute.path),
                ClientObserver(clients),
            ],
            idleTimeout: .seconds(ServerLimits.readSeconds),
            httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
                maxHeaderFieldSize: ServerLimits.headerBytes, maxHeaderListSize: ServerLimits.headerBytes,
                maxHeaderFieldCount: ServerLimits.headerFields))
    }

    /// Serves until SIGTERM or SIGINT. Then stops accepting calls, lets current calls finish, and closes the ledger.
    /// - Parameter onTimeout: called when current calls still run 29 seconds after the signal. Everything acknowledged is
    ///   durable then.
    package func run(
        onTimeout: @escaping @Sendable () -> Void = {}, onListening: @escaping @Sendable (_ port: Int) -> Void
    ) async throws {
        defer { context.ledger.close() }
        // The control socket must not be open to others before its mode is set. No other file has to be, either.
        umask(0o077)
        for (level, note) in startUpNotes { logger.log(level: level, "\(note)") }
        try await serviceGroup(stoppedBy: [.sigterm, .sigint], onTimeout: onTimeout, onListening: onListening).run()
        logger.info("stopped")
    }

    /// Returns the service group. After a signal, it gives current calls time to finish.
    /// - Parameter extraRoutes: additional routes, for tests.
    /// - Throws: `io_error` when the data folder cannot be opened.
    package func serviceGroup(
        stoppedBy signals: [UnixSignal] = [], extraRoutes: [any Route] = [],
        onTimeout: @escaping @Sendable () -> Void = {}, onListening: @escaping @Sendable (_ port: Int) -> Void
    ) throws -> ServiceGroup {
        let (controlIsListening, signal) = AsyncStream.makeStream(of: Void.self)
        let control = ControlService(
            socket: try ControlSocket(context.ledger.configuration.folder),
            responder: router(controlRoutes, KeyRing([])) { Problem(forOperator: $0) }.buildResponder(), logger: logger
        ) { signal.yield() }
        var listener = listener(routes + extraRoutes, onListening: onListening)
        listener.beforeServerStarts { _ = await controlIsListening.first { true } }
        var group = ServiceGroupConfiguration(
            services: [
                .init(service: listener), .init(service: control),
                // The last service is shut down first, so the clock starts before the application stops.
                .init(
                    service: ShutdownLimit(ServerLimits.shutdownLimit, onTimeout: onTimeout),
                    successTerminationBehavior: .ignore),
            ], gracefulShutdownSignals: signals, logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(ServerLimits.shutdownSeconds)
        return ServiceGroup(configuration: group)
    }
}
