import EventLog
import Primitives
import SubscriptionLedger
import TransparencyLog

extension BenchmarkRow {
    /// The time to open a ledger of ten million events for reading, and to read its newest event.
    static let open = BenchmarkRow(
        name: "open", unit: "s", limitName: nil, target: .valueAtMost(1)
    ) { progress in
        let folder = try await AppendLedger.largeFolder(progress)
        var measurement = Measurement(values: [])
        for _ in 0..<Measurement.runs {
            let start = ContinuousClock.now
            let ledger = try LedgerReader(Ledger.Configuration(folder: folder, clock: { .latest }))
            let head = try ledger.log.head()
            guard try ledger.log.record(at: head.size - 1) != nil else {
                throw BenchmarkFailure("no newest event")
            }
            measurement.values.append((ContinuousClock.now - start).seconds)
        }
        return measurement
    }
}
