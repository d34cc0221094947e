import Glibc
import LedgerStorage
import Synchronization

/// Calls at a constant rate, whether or not earlier ones are answered.
///
/// The connections take turns in the schedule, and each has a thread. A latency begins at the scheduled time: an answer
/// that is late for the next call of its connection makes that call late too.
final class Load: Sendable {
    struct Plan: Sendable {
        let port: Int
        /// Calls per second.
        let rate: Int
        /// Enough that a connection is free again for its next call.
        let connections: Int
        /// Returns the request of a call.
        let request: @Sendable (_ call: Int) -> [UInt8]
    }

    private let results = Mutex<[Result<Latencies, any Error>]>([])
    private let threads = Mutex<[DedicatedThread]>([])
    private let isStopped = Atomic(false)

    /// Starts the calls.
    init(_ plan: Plan) throws {
        // Time to connect.
        let start = ContinuousClock.now + .milliseconds(100)
        let started = try (0..<plan.connections).map { connection in
            try DedicatedThread {
                let result = Result { try self.latencies(of: plan, connection, from: start) }
                self.results.withLock { $0.append(result) }
            }
        }
        threads.withLock { $0 = started }
    }

    /// Ends the calls and waits for their answers.
    func stop() throws -> Latencies {
        isStopped.store(true, ordering: .relaxed)
        for thread in threads.withLock({ $0 }) { thread.join() }
        return try results.withLock { try $0.reduce(into: Latencies()) { $0.add(try $1.get()) } }
    }

    private func latencies(
        of plan: Plan, _ number: Int, from start: ContinuousClock.Instant
    ) throws -> Latencies {
        let connection = try HTTPConnection(port: plan.port)
        var latencies = Latencies()
        for call in stride(from: number, to: .max, by: plan.connections) {
            let request = plan.request(call)
            let due = start + .seconds(1) * call / plan.rate
            Self.sleep(until: due)
            if isStopped.load(ordering: .relaxed) { break }
            let status = try connection.send(request).status
            latencies.add((ContinuousClock.now - due).seconds * 1_000, isRefused: !(200..<300).contains(status))
        }
        return latencies
    }

    private static func sleep(until due: ContinuousClock.Instant) {
        let microseconds = (due - .now) / .microseconds(1)
        if microseconds > 0 { usleep(UInt32(microseconds)) }
    }
}

/// The latencies of calls in milliseconds.
struct Latencies: Sendable {
    private var values: [Double] = []
    /// The number of answers with a status other than 2xx.
    private(set) var refused = 0

    mutating func add(_ milliseconds: Double, isRefused: Bool) {
        values.append(milliseconds)
        if isRefused { refused += 1 }
    }

    mutating func add(_ other: Latencies) {
        values += other.values
        refused += other.refused
    }

    /// Returns the latency that a share of the calls does not exceed.
    func quantile(_ share: Double) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }

    /// The median, the 99th percentile and the maximum.
    var summary: String {
        "p50 \(quantile(0.5).short), p99 \(quantile(0.99).short), max \(quantile(1).short) ms"
    }
}
