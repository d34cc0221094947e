import Dispatch
import Glibc
import LedgerStorage
import Synchronization

/// Threads that share the work of a rebuild.
final class Workers: Sendable {
    let count: Int
    let meter: RebuildMeter
    private let failed = Atomic(false)

    init(count: Int, meter: RebuildMeter) {
        self.count = count
        self.meter = meter
    }

    /// Whether a thread has failed. The others may end early then.
    var hasFailed: Bool { failed.load(ordering: .relaxed) }

    /// The number of processors of this machine.
    static var processorCount: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

    /// Runs `body` on a thread for each index, and returns the results by index. Reports the progress meanwhile.
    /// - Throws: the error with the lowest index, after all threads have ended.
    func map<Result: Sendable>(_ body: @escaping @Sendable (Int) throws -> Result) throws -> [Result] {
        let results = Results<Result>(count: count)
        let done = DispatchSemaphore(value: 0)
        var threads: [DedicatedThread] = []
        defer { for thread in threads { thread.join() } }
        do {
            for index in 0..<count {
                let thread = try DedicatedThread {
                    let result = Swift.Result { try body(index) }
                    if case .failure = result { self.failed.store(true, ordering: .relaxed) }
                    results.set(result, at: index)
                    done.signal()
                }
                threads.append(thread)
            }
        } catch {
            failed.store(true, ordering: .relaxed)
            throw error
        }
        for _ in threads {
            while done.wait(timeout: .now() + .milliseconds(200)) == .timedOut { meter.report() }
        }
        return try results.get()
    }
}

private final class Results<Result: Sendable>: Sendable {
    private let results: Mutex<[Swift.Result<Result, any Error>?]>

    init(count: Int) {
        results = Mutex(Array(repeating: nil, count: count))
    }

    func set(_ result: Swift.Result<Result, any Error>, at index: Int) {
        results.withLock { $0[index] = result }
    }

    func get() throws -> [Result] {
        try results.withLock { try $0.compactMap { try $0?.get() } }
    }
}
