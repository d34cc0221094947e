import FactStore
import LedgerModel
import Primitives
import SubscriptionLedger
import SubscriptionStatus

extension BenchmarkRow {
    /// The fold of one key's timeline to its state, on one core.
    static let state = BenchmarkRow(
        name: "state", unit: "facts/s", limitName: nil, target: .valueAtLeast(200_000)
    ) { progress in
        try await FoldSample.measure(progress) { lineages in
            lineages.states(at: FoldSample.now, rules: Rules()).count
        }
    }

    /// The fold of one key's timeline to its whole history, on one core.
    static let history = BenchmarkRow(
        name: "history", unit: "facts/s", limitName: nil, target: .valueAtLeast(80_000)
    ) { progress in
        try await FoldSample.measure(progress) { lineages in
            lineages.histories(until: FoldSample.now, rules: Rules()).reduce(0) { $0 + $1.transitions.count }
        }
    }
}

/// The timelines of the customers' subscriptions, as read from the store.
private enum FoldSample {
    static var now: Instant { CustomerSample.now }
    private static let repetitions = 100

    static func measure(
        _ progress: Progress, fold: ([Lineage]) -> Int
    ) async throws -> Measurement {
        progress.report("making \(CustomerSample.customers) customers")
        let timelines = try await timelines()
        let facts = timelines.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
        var measurement = Measurement(values: [])
        for run in 1...Measurement.runs {
            progress.report("run \(run) of \(Measurement.runs)")
            let start = ContinuousClock.now
            var rows = 0
            for _ in 0..<repetitions {
                for timelines in timelines { rows += fold(Lineage.components(of: timelines)) }
            }
            guard rows > 0 else { throw BenchmarkFailure("the sample gives no rows") }
            measurement.values.append(Double(facts * repetitions) / (ContinuousClock.now - start).seconds)
        }
        measurement.note = "\(facts / timelines.count) facts a key"
        return measurement
    }

    private static func timelines() async throws -> [[SubscriptionKey: Timeline]] {
        let sample = try await CustomerSample()
        defer { sample.ledger.close() }
        return try sample.originalTransactionIds.flatMap { id in
            try sample.ledger.reader.facts.keys(ofOriginalTransactionId: id).map {
                try sample.ledger.reader.facts.timelines(around: $0, knownAt: .max)
            }
        }
    }
}
