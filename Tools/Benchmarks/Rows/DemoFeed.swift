import AppStoreSimulation
import AppStoreSimulator
import AppStoreVerification
import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import LedgerConfiguration
import LedgerServer
import LedgerStorage
import Logging
import Primitives
import SubscriptionLedger

extension BenchmarkRow {
    /// Eighteen months of a thousand customers of the simulated App Store, posted to a ledger hour by hour as by
    /// `Tools/run`: notifications, and what devices bought.
    static let demoFeed = BenchmarkRow(
        name: "demo-feed", unit: "s",
        limitName: "the same calls to a route of the same server that answers at once", target: .valueAtMost(30)
    ) { progress in
        var events = 0
        var measurement = try await Measurement.alternating(progress) {
            let run = try await DemoFeed.run(notifying: "/v1/app-store/notifications", posting: "/v1/transactions")
            events = run.events
            return run.seconds
        } limit: {
            try await DemoFeed.run(notifying: "/v1/bare", posting: "/v1/bare").seconds
        }
        measurement.note = "\(events) calls, \((Double(events) / measurement.value).short) a second"
        return measurement
    }
}

/// Takes every call and stores nothing.
private struct BarePostRoute: Route {
    let method = HTTPRequest.Method.post
    let template = "/v1/bare"
    let access = Access.anybody

    func respond(to call: RouteRequest) async throws -> Response {
        for try await _ in call.request.body {}
        return Response(status: .ok)
    }
}

private enum DemoFeed {
    private static var simulation: Simulation {
        var store = StoreConfiguration.lifelike
        store.delivery = NotificationDelivery()
        return Simulation(seed: 1, customers: 1_000, months: 18, store: store)
    }

    /// Plays the simulation.
    /// - Returns: the number of notifications and postings, and the time from the first step of the clock to the last
    ///   answer.
    static func run(notifying: String, posting: String) async throws -> (events: Int, seconds: Double) {
        var configuration = SimulatedAppStore.Configuration(simulation)
        configuration.isNotifying = true
        configuration.isPosting = true
        configuration.speed = .times(0)
        let end = configuration.simulation.end
        let store = try SimulatedAppStore(configuration)
        let time = SampleClock(configuration.simulation.start)
        let folder = try TemporaryFolder()
        var opening = Ledger.Configuration(folder: DataFolder(path: folder.path), clock: { time.now })
        opening.trust.configuredRoots = [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)]
        let ledger = try LedgerWriter(opening)
        defer { ledger.close() }
        return try await serving(ledger) { base, client in
            let sender = Sender(client, of: store, notifying: base + notifying, posting: base + posting)
            let start = ContinuousClock.now
            var events = 0
            await store.play(to: end)
            while await store.isPlaying {
                let due = await store.step(after: .zero)
                time.set(await store.now)
                events += due.notifications.count + due.postings.count
                await sender.send(due)
                await store.endStep()
            }
            return (events, (ContinuousClock.now - start).seconds)
        }
    }

    /// Runs `body` with the address of a server of the ledger, and a client.
    private static func serving<Value: Sendable>(
        _ ledger: LedgerWriter, _ body: @escaping @Sendable (String, HTTPClient) async throws -> Value
    ) async throws -> Value {
        var serving = LedgerServer.Configuration()
        serving.http.port = 0
        let server = try LedgerServer(
            ledger, serving, logger: Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() })
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let application = server.application(extraRoutes: [BarePostRoute()]) { listening.yield($0) }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Sender.transportConfiguration)
        let result = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            defer { group.cancelAll() }
            for await port in ports { return try await body("http://127.0.0.1:\(port)", client) }
            throw BenchmarkFailure("the server did not start")
        }
        try await client.shutdown()
        return result
    }
}
