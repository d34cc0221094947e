import AsyncHTTPClient
import HTTPConnections
import HTTPTypes
package import Hummingbird
package import Logging
package import Primitives
import ServiceLifecycle

/// The HTTP service of a simulated App Store.
package struct AppStoreSimulator: Sendable {
    package let store: SimulatedAppStore
    private let credentials: APICredentials
    private let logger: Logger

    package init(_ store: SimulatedAppStore, _ credentials: APICredentials, logger: Logger) {
        self.store = store
        self.credentials = credentials
        self.logger = logger
    }

    /// Returns the Hummingbird application that serves the routes.
    /// - Parameters:
    ///   - clock: the service that moves the clock; nil in tests that move it themselves.
    ///   - onListening: called with the port once connections are accepted.
    package func application(
        host: String, port: Int, clock: ClockService? = nil,
        onListening: @escaping @Sendable (_ port: Int) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let router = Router()
        ServerAPIRoutes(api: ServerAPI(store: store), credentials: credentials).add(to: router)
        VerifyReceiptRoute(store: store).add(to: router)
        SimulatorRoutes(store: store).add(to: router)
        CustomerRoutes(store: store).add(to: router)
        DeviceRoutes(store: store).add(to: router)
        ReceiptRoutes(store: store).add(to: router)
        return Application(
            router: router, server: .closingAll(.init(additionalChannelHandlers: [VirtualDate()])),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            services: clock.map { [$0] } ?? [],
            onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }, logger: logger)
    }
}

/// Moves the clock of a simulated App Store, and sends what is due.
package struct ClockService: Service {
    private let store: SimulatedAppStore
    private let sender: Sender
    /// Called after each step with the clock's instant, and the one that it plays to.
    private let progress: @Sendable (Instant, Instant?) -> Void

    /// The real time between two steps, unless the clock plays as fast as possible.
    private static let interval = Duration.milliseconds(50)
    /// The real time after which a standing clock is looked at again.
    private static let glance = Duration.milliseconds(5)

    package init(
        _ store: SimulatedAppStore, _ sender: Sender,
        progress: @escaping @Sendable (Instant, Instant?) -> Void = { _, _ in }
    ) {
        self.store = store
        self.sender = sender
        self.progress = progress
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var last = ContinuousClock.now
            while !Task.isCancelled {
                let due = await store.step(after: ContinuousClock.now - last)
                // The clock stands while calls are under way.
                await sender.send(due)
                await store.endStep()
                last = .now
                let clock = await store.clockState
                progress(clock.now, clock.goal)
                guard await !store.isPlaying else { continue }
                try? await Task.sleep(for: clock.speed == .times(0) ? Self.glance : Self.interval)
            }
        }
        await store.releaseFollowers()
    }
}
