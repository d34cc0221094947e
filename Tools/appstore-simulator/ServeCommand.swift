import AppStoreModel
import AppStoreSimulation
import AppStoreSimulator
import ArgumentParser
import AsyncHTTPClient
import Glibc
import Hummingbird
import Logging
import Primitives
import ServiceLifecycle
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a simulated App Store over HTTP.",
        discussion: """
            Customers buy, renew, fail to pay, return and are refunded by a script that the seed determines. Apple's \
            routes are at Apple's paths, and notifications are posted to --notify on Apple's schedule, in version 1 to \
            --notify-v1. The folder --out gets the root certificates to trust, the key for the Server API, the shared \
            secret of verifyReceipt, and the catalogue of products.

            EXAMPLES
              appstore-simulator serve --notify http://127.0.0.1:8080/v1/app-store/notifications --out store
              appstore-simulator serve --customers 100 --months 12 --speed 3600x --fault lose=0.01,delay=6h
            """)

    @Option(help: "Determines everything random.")
    var seed: UInt64 = 1

    @Option(help: "Number of customers, each with a relative.")
    var customers = 3_000

    @Option(help: "Length of the customers' stories. Afterwards, subscriptions only renew.")
    var months = 18

    @Option(help: "The first instant (ISO 8601; default 2025-01-01, with short durations the current time).")
    var start: String?

    @Option(
        help: """
            Virtual seconds per second, such as 60x, or max: play the months as fast as possible, then 1x (default max, \
            with short durations 1x).
            """)
    var speed: String?

    @Flag(help: "Start with the clock standing still. PUT /simulator/clock sets it in motion.")
    var pause = false

    @Option(help: "Address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "Port to listen on, or 0 for any free port.")
    var port = 8_090

    @Option(help: "Folder for root.der, receipt-root.der, api-key.p8, shared-secret, api.json and catalog.yaml.")
    var out: String?

    @Option(name: .customLong("bundle-id"), help: "Bundle id of the app.")
    var bundleId = "com.example.app"

    @Option(name: .customLong("app-apple-id"), help: "App Apple ID; signed in Production only.")
    var appAppleId: Int64 = 1_234_567_890

    @Option(help: "Production or Sandbox.")
    var environment = "Production"

    @Flag(
        help: """
            Real durations in the sandbox. Without it a month takes five minutes there, and customers act \
            only on request.
            """)
    var realDurations = false

    @Flag(help: "Turn Billing Grace Period off. Without it, service continues for 16 days after a failed renewal.")
    var noGrace = false

    @Option(help: "URL that notifications of version 2 are posted to.")
    var notify: String?

    @Option(name: .customLong("notify-v1"), help: "URL that notifications of version 1 are posted to.")
    var notifyVersion1: String?

    @Option(
        help: """
            URL that devices post their purchases to, as {"customerId": "customer-N", "signedTransactions": [...]} or \
            {"customerId": "customer-N", "receipt": "..."}.
            """)
    var post: String?

    @Option(
        help: """
            What devices post: transactions, receipts, or moving: receipts in the first half of the months, transactions \
            in the second.
            """)
    var form = PostingForm.transactions.rawValue

    @Option(
        help: """
            Faults on purpose: shares (0 to 1) lose, repeat, reorder of notifications, status429, status5xx of \
            answers, and status21005, status211xx of verifyReceipt; durations delay (of a first delivery), lag (of a replica), slow (of an answer, real time); \
            rotate=DATE changes the certificates. Example: lose=0.01,delay=6h.
            """)
    var fault = ""

    func run() async throws {
        // A closed pipe on an output must not end the service.
        signal(SIGPIPE, SIG_IGN)
        let simulation = try simulation()
        var configuration = SimulatedAppStore.Configuration(simulation)
        configuration.faults = try faults()
        configuration.isNotifying = notify != nil
        configuration.isNotifyingVersion1 = notifyVersion1 != nil
        configuration.isPosting = post != nil
        configuration.postingForm = try postingForm()
        configuration.speed = pause ? .times(0) : try clockSpeed()
        let store = try SimulatedAppStore(configuration)
        let credentials = try await APICredentials(bundleId: bundleId)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Sender.transportConfiguration)
        let progress = ClockProgress()
        let sender = Sender(client, of: store, notifying: notify, version1: notifyVersion1, posting: post)
        let clock = ClockService(store, sender) { progress.show($0, playingTo: $1) }
        let base = try folder()
        let host = host
        let application = AppStoreSimulator(store, credentials, logger: Self.logger).application(
            host: host, port: port, clock: clock
        ) { port in
            let url = "http://\(host):\(port)"
            do {
                try base?.write(store, credentials, baseURL: url)
                print("listening on \(url)")
            } catch {
                print("cannot write to \(base?.path ?? ""): \(error)")
            }
            fflush(nil)
        }
        do {
            try await application.runService(gracefulShutdownSignals: [.sigterm, .sigint])
        } catch {
            try? await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }
}

extension ServeCommand {
    private static var logger: Logger {
        Logger(label: "appstore-simulator") { _ in SwiftLogNoOpLogHandler() }
    }

    private static let firstDay = Instant(iso8601: "2025-01-01")

    private static var realNow: Instant? {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    private var isAccelerated: Bool { environment == "Sandbox" && !realDurations }

    private func simulation() throws -> Simulation {
        guard let opening = start.map({ Instant(iso8601: $0) }) ?? (isAccelerated ? Self.realNow : Self.firstDay) else {
            throw ValidationError("--start must be an instant such as 2025-01-01.")
        }
        guard (0...100_000).contains(customers), (1...240).contains(months) else {
            throw ValidationError("--customers must be from 0 to 100000, and --months from 1 to 240.")
        }
        guard environment == "Production" || environment == "Sandbox" else {
            throw ValidationError("--environment must be Production or Sandbox.")
        }
        var store = StoreConfiguration.lifelike
        // What happens to deliveries is decided when they are sent.
        store.delivery = NotificationDelivery()
        store.bundleId = bundleId
        store.environment = Environment(rawValue: environment)
        store.isAccelerated = isAccelerated
        if noGrace { store.gracePeriod = nil }
        if isAccelerated { store.chargeLead = 0...0 }
        store.appAppleId = environment == "Production" ? appAppleId : nil
        return Simulation(seed: seed, customers: customers, months: months, start: opening, store: store)
    }

    private func faults() throws -> Faults {
        do {
            return try Faults(parsing: fault)
        } catch {
            throw ValidationError("--fault: \(error).")
        }
    }

    private func postingForm() throws -> PostingForm {
        guard let form = PostingForm(rawValue: form) else {
            throw ValidationError("--form must be transactions, receipts or moving.")
        }
        return form
    }

    private func clockSpeed() throws -> VirtualClock.Speed {
        guard let speed = VirtualClock.Speed(parsing: speed ?? (isAccelerated ? "1x" : "max")) else {
            throw ValidationError("--speed must be max or a multiple of real time such as 60x.")
        }
        return speed
    }

    private func folder() throws -> OutputFolder? { try out.map { try OutputFolder(path: $0) } }
}
