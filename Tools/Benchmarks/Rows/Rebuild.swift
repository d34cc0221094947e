import FactStore
import FoundationEssentials
import Glibc
import LedgerModel
import LedgerStorage
import Primitives
import ProjectionRuntime
import SubscriptionStatus
import Synchronization

extension BenchmarkRow {
    static let scanName = "an LMDB cursor over the same facts that reads a word in every 64 bytes, on all cores"

    /// The scan of the headers of all facts, which finds the facts that are folded together.
    static let scan = BenchmarkRow(
        name: "scan", unit: "facts/s", limitName: scanName, target: .ratioAtLeast(0.2)
    ) { progress in
        try measure(progress) { store, _ in
            try store.eachCore { snapshot, range in
                var count = 0
                try snapshot.forEachHeader(in: range) { _, _, _ in count += 1 }
                return count
            }
        }
    }

    /// The fold of all facts to the states of all subscriptions, which are not stored.
    static let rebuildFold = BenchmarkRow(
        name: "rebuild-fold", unit: "facts/s", limitName: scanName, target: .valueAtLeast(5_000_000)
    ) { progress in
        try measure(progress) { store, folder in
            let rows = try builder(store, folder).fold { _ in
                0
            } add: { count, entry in
                count += entry.rows.count
            } finish: {
                $0
            }
            return rows.reduce(0, +)
        }
    }

    /// The rebuild of the projection of states, stored and checked.
    static let rebuildStore = BenchmarkRow(
        name: "rebuild-store", unit: "facts/s", limitName: scanName, target: .valueAtLeast(3_000_000)
    ) { progress in
        try measure(progress) { store, folder in try builder(store, folder).rebuild(logRoot: .zero).content.rows }
    }

    static let peak = PeakMemory()

    private static func builder(_ store: FactSample, _ folder: DataFolder) throws -> ProjectionBuilder<StatusProjection>
    {
        var options = RebuildOptions()
        options.report = { _ in peak.update() }
        return try ProjectionBuilder(
            StatusProjection.self, in: ProjectionStore(folder), of: store.facts, rules: Rules(), options: options)
    }

    /// - Parameter convert: converts facts per second to the unit of the row.
    static func measure(
        _ progress: Progress, convert: (Double) -> Double = { $0 }, _ work: (FactSample, DataFolder) throws -> Int
    ) throws -> Measurement {
        let store = try FactSample(progress)
        let folder = try TemporaryFolder()
        var measurement = Measurement(values: [])
        for run in 1...Measurement.runs {
            progress.report("run \(run) of \(Measurement.runs)")
            measurement.limits.append(convert(try store.rate { try store.plainScan() }))
            measurement.values.append(convert(try store.rate { try work(store, DataFolder(path: folder.path)) }))
        }
        measurement.note =
            "\(FactSample.factCount.short) facts of \(Double(FactSample.keys).short) subscriptions; "
            + "at most \(peak.mebibytes) MiB of anonymous memory"
        return measurement
    }
}

extension FactSample {
    /// Returns the facts per second of some work.
    fileprivate func rate(_ work: () throws -> Int) throws -> Double {
        let start = ContinuousClock.now
        guard try work() > 0 else { throw BenchmarkFailure("the sample gives no rows") }
        return Self.factCount / (ContinuousClock.now - start).seconds
    }

    fileprivate func plainScan() throws -> Int {
        try eachCore { snapshot, range in
            var sum = 0
            try snapshot.forEachEvent(in: range) { _, stored in
                for offset in stride(from: 0, to: stored.byteCount - 7, by: 64) {
                    sum &+= Int(stored.littleEndian(at: offset, as: UInt32.self))
                }
            }
            return sum
        }
    }

    /// Runs work on as many threads as there are processors, each with a part of the events; returns the sum.
    fileprivate func eachCore(_ work: @escaping @Sendable (FactSnapshot, Range<Position>) throws -> Int) throws -> Int {
        let snapshot = try facts.snapshot()
        let count = UInt64(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let sums = Sums()
        let threads = try (0..<count).map { index in
            try DedicatedThread {
                let range = snapshot.size * index / count..<snapshot.size * (index + 1) / count
                let sum = (try? work(snapshot, range)) ?? .min
                sums.values.withLock { $0.append(sum) }
            }
        }
        for thread in threads { thread.join() }
        return sums.values.withLock { $0.reduce(0, &+) }
    }
}

private final class Sums: Sendable {
    let values = Mutex<[Int]>([])
}

/// The peak of the anonymous memory of this process, as sampled.
final class PeakMemory: Sendable {
    private let kibibytes = Mutex(0)

    var mebibytes: Int { kibibytes.withLock { $0 / 1_024 } }

    func update() {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let size = line.split(separator: " ").dropLast().last.flatMap({ Int($0) })
        else { return }
        kibibytes.withLock { $0 = max($0, size) }
    }
}
