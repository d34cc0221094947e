import AppStoreModel
import AppStoreSimulation
import Glibc
import Synchronization

extension BenchmarkRow {
    /// Calls for random customers of a service with a large ledger, while notifications arrive and `project rebuild`
    /// runs again and again. The service, the rebuild and the calls share the cores.
    static func getDuringRebuild(events: Int) -> BenchmarkRow {
        BenchmarkRow(
            name: "get-during-rebuild", unit: "ms, 99th percentile", limitName: "the same without a rebuild",
            target: .valueAtMost(25)
        ) { progress in
            let sample = try await LedgerSample(events: events, progress)
            return try RebuildUnderLoad(sample, progress).measure()
        }
    }
}

/// A service under load.
private struct RebuildUnderLoad {
    /// The least duration of a measurement. It does not end before the last rebuild.
    private static let duration = Duration.seconds(60)
    private static let warmUp = Duration.seconds(5)
    private static let callsPerSecond = 1_000
    private static let notificationsPerSecond = 50

    private struct Phase {
        let calls: Latencies
        let notifications: Latencies
        /// The processor time of the load itself, in cores.
        let cores: Double
    }

    private let sample: LedgerSample
    private let progress: Progress
    private let notifications: NotificationCounter
    private let server: ChildProcess
    private let port: Int

    init(_ sample: LedgerSample, _ progress: Progress) throws {
        self.sample = sample
        self.progress = progress
        notifications = NotificationCounter(next: try sample.size)
        let app = StoreConfiguration()
        server = try ChildProcess(
            "subledger",
            [
                "serve", "--data", sample.path, "--port", "0", "--bundle-id", app.bundleId, "--app-apple-id",
                "\(app.appAppleId ?? 0)", "--environment", "\(app.environment.rawValue)", "--trust-root",
                sample.rootFile,
            ], errors: sample.path + "/serve.log")
        guard let line = server.nextLine(), let port = line.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw BenchmarkFailure("the service did not start; see \(sample.path)/serve.log")
        }
        self.port = port
    }

    func measure() throws -> Measurement {
        progress.report("warming up")
        _ = try phase { sleep(for: Self.warmUp) }
        progress.report("calls without a rebuild")
        let without = try phase { sleep(for: Self.duration) }
        progress.report("calls during rebuilds")
        var rebuilds: [Double] = []
        let during = try phase {
            while rebuilds.reduce(0, +) < Self.duration.seconds { rebuilds.append(try rebuild()) }
        }
        let refused = [without, during].reduce(0) { $0 + $1.calls.refused + $1.notifications.refused }
        guard refused == 0 else { throw BenchmarkFailure("the service refused \(refused) calls") }
        var measurement = Measurement(values: [during.calls.quantile(0.99)], limits: [without.calls.quantile(0.99)])
        measurement.note =
            "\(Self.callsPerSecond) calls and \(Self.notificationsPerSecond) notifications a second, none refused; "
            + "calls \(during.calls.summary), without a rebuild \(without.calls.summary); "
            + "notifications \(during.notifications.summary), without \(without.notifications.summary); "
            + "rebuilds of \(rebuilds.map(\.short).joined(separator: ", ")) s; "
            + "the load itself took \(during.cores.short) cores"
        return measurement
    }

    /// Puts load on the service while `work` runs.
    private func phase(_ work: () throws -> Void) throws -> Phase {
        let (start, processorStart) = (ContinuousClock.now, clock())
        let calls = try Load(
            Load.Plan(port: port, rate: Self.callsPerSecond, connections: 50) { [sample] call in
                HTTPConnection.get(sample.customerPath(call))
            })
        let posts = try Load(
            Load.Plan(port: port, rate: Self.notificationsPerSecond, connections: 5) { [sample, notifications] _ in
                HTTPConnection.post(sample.notificationBody(notifications.next()), to: "/v1/app-store/notifications")
            })
        try work()
        let latencies = (try calls.stop(), try posts.stop())
        // POSIX defines the unit of clock() as a microsecond.
        let processorSeconds = Double(clock() - processorStart) / 1_000_000
        return Phase(
            calls: latencies.0, notifications: latencies.1,
            cores: processorSeconds / (ContinuousClock.now - start).seconds)
    }

    /// Returns the duration in seconds.
    private func rebuild() throws -> Double {
        let start = ContinuousClock.now
        try ChildProcess(
            "subledger", ["project", "rebuild", "--data", sample.path], errors: sample.path + "/rebuild.log"
        )
        .finish()
        return (ContinuousClock.now - start).seconds
    }

    private func sleep(for duration: Duration) {
        Glibc.sleep(UInt32(duration.seconds))
    }
}

/// The numbers of notifications that were not sent yet.
private final class NotificationCounter: Sendable {
    private let value: Atomic<Int>

    init(next: Int) { value = Atomic(next) }

    func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}
