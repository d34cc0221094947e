import Dispatch
import Glibc
import LedgerStorage
import Synchronization

/// Threads that share the work of a rebuild.
struct Workers: Sendable {
    let count: Int
    let meter: RebuildMeter

    /// The number of processors of this machine.
    static var processorCount: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

    /// Runs `body` on a thread for each index, and returns the results by index. Reports the progress meanwhile.
    /// - Throws: the error with the lowest index, after all threads have ended.
    func map<Result: Sendable>(_ body: @escaping @Sendable (Int) throws -> Result) throws -> [Result] {
        let results = Results<Result>(count: count)
        let done = DispatchSemaphore(value: 0)
        let threads = try (0..<count).map { index in
            try DedicatedThread {
                results.set(Swift.Result { try body(index) }, at: index)
                done.signal()
            }
        }
        for _ in threads {
            while done.wait(timeout: .now() + .milliseconds(200)) == .timedOut { meter.report() }
        }
        for thread in threads { thread.join() }
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
