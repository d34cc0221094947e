import AppStoreSimulation
import AppStoreVerification
import EventLog
import FactStore
import HTTPTypes
import Hummingbird
import Ingestion
import LedgerAPI
import LedgerConfiguration
import LedgerServer
import LedgerStorage
import Logging
import Primitives
import SubscriptionLedger

extension BenchmarkRow {
    /// Calls for customers of ten notifications each, over 16 connections.
    static let getCustomer = BenchmarkRow(
        name: "get-customer", unit: "calls/s",
        limitName: "a route of the same server that answers as many bytes at once",
        target: .ratioAtLeast(0.7)
    ) { progress in
        progress.report("making \(CustomerSample.customers) customers")
        let sample = try await CustomerSample()
        defer { sample.ledger.close() }
        return try await sample.serving { port in
            try await Measurement.alternating(progress) {
                try await CustomerSample.rate(port) { "/v1/customers/customer-\($0 % CustomerSample.customers)" }
            } limit: {
                try await CustomerSample.rate(port) { "/v1/bare/customer-\($0 % CustomerSample.customers)" }
            }
        }
    }
}

/// Answers every call with the same bytes.
private struct BareRoute: Route {
    let method = HTTPRequest.Method.get
    let template = "/v1/bare/{id}"
    let access = Access.anybody
    let body: ByteBuffer

    func respond(to call: RouteRequest) async throws -> Response {
        Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
    }
}

struct CustomerSample {
    static let customers = 500
    /// An instant in the last period of every subscription, so that all answers are about paying customers.
    static let now = Instant(milliseconds: 1_426_204_800_000)
    /// Enough to keep every core busy.
    private static let connections = 16
    private static let callsAConnection = 1_000

    let ledger: LedgerWriter
    /// One per customer.
    let originalTransactionIds: [String]
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        var configuration = Ledger.Configuration(folder: DataFolder(path: folder.path), clock: { Self.now })
        configuration.trust.configuredRoots = [try ConfiguredRoot(file: SigningAuthority.standard.rootCertificate)]
        ledger = try LedgerWriter(configuration)
        let each = BulkNotifications.notificationsPerSubscription
        let notifications = BulkNotifications(count: Self.customers * each)
        originalTransactionIds = (0..<Self.customers).compactMap {
            notifications[$0 * each].unsigned.originalTransactionId
        }
        var pipeline = IngestPipeline(ledger: ledger)
        for notification in notifications {
            _ = try await pipeline.add(
                ArtifactFile.artifacts(in: notification.jws.compact, file: "notification.jws")[0])
        }
        _ = try await pipeline.finish()
        for customer in 0..<Self.customers {
            let newest = notifications[customer * each + each - 1]
            guard let transaction = newest.transaction?.text else {
                throw BenchmarkFailure("a notification of the sample has no transaction")
            }
            let posting = TransactionPosting(signedTransactions: [transaction], customerId: "customer-\(customer)")
            guard try await ledger.post(posting, by: .backend).refused.isEmpty else {
                throw BenchmarkFailure("a transaction of the sample was refused")
            }
        }
        try ledger.reader.facts.store()
    }

    /// Runs `body` with the port of a running server.
    func serving(_ body: @escaping @Sendable (Int) async throws -> Measurement) async throws -> Measurement {
        let answer = try ledger.reader.customer("customer-0", AsOfQuery(asOf: ledger.configuration.clock())).json
            .serialized()
        var logger = Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .info
        var serving = LedgerServer.Configuration()
        serving.http.port = 0
        let server = try LedgerServer(ledger, serving, logger: logger)
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let application = server.application(extraRoutes: [BareRoute(body: ByteBuffer(string: answer))]) {
            listening.yield($0)
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            defer { group.cancelAll() }
            for await port in ports {
                // A server in the steady state has already built its feed.
                try await ledger.transitions().waitUntilProcessed(ledger.reader.log.size(), patience: .seconds(300))
                return try await body(port)
            }
            throw BenchmarkFailure("the server did not start")
        }
    }

    /// Returns calls per second over all connections together, each with its own thread.
    static func rate(_ port: Int, _ path: @escaping @Sendable (Int) -> String) async throws -> Double {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for connection in 0..<connections {
                group.addTask {
                    try await onThread {
                        let connected = try HTTPConnection(port: port)
                        for call in 0..<callsAConnection {
                            _ = try connected.get(path(call * connections + connection))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        return Double(connections * callsAConnection) / (ContinuousClock.now - start).seconds
    }

    /// Runs `body` outside the cooperative pool, which the server needs.
    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                _ = try DedicatedThread { continuation.resume(with: Result(catching: body)) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
