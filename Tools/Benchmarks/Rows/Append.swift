import EventLog
import SubscriptionLedger

extension BenchmarkRow {
    /// Appends by 32 writers, one event at a time, to an empty ledger and to one of ten million. The worse counts.
    static let appendSingle = append(
        name: "append-single", limitName: "pwrite + fdatasync of the same bytes, 32 events at a time",
        target: 25_000, groupOf: 32
    ) { ledger, seed in
        try await ledger.append(writers: 32, each: 1_000, seed: seed)
    }

    /// Appends of batches of 1,000 events, one after the other, to the same two ledgers.
    static let appendBatch = append(
        name: "append-batch", limitName: "pwrite + fdatasync of the same bytes, 1,000 events at a time",
        target: 150_000, groupOf: 1_000
    ) { ledger, seed in
        try await ledger.append(batches: 100, of: 1_000, seed: seed)
    }

    private static func append(
        name: String, limitName: String, target: Double, groupOf events: Int,
        ours: @escaping @Sendable (AppendLedger, UInt64) async throws -> Double
    ) -> BenchmarkRow {
        BenchmarkRow(name: name, unit: "events/s", limitName: limitName, target: .valueAtLeast(target)) { progress in
            var measurements: [Measurement] = []
            for isLarge in [false, true] {
                let ledger = isLarge ? try await AppendLedger.large(progress) : try AppendLedger.empty()
                var run: UInt64 = try ledger.ledger.reader.log.size()
                var syncs: [Double] = []
                var measurement = try await Measurement.alternating(progress) {
                    run += 1
                    return try await ours(ledger, run &* 0x1_0000_0001)
                } limit: {
                    let limit = try DiskLimit.rate(groups: 100_000 / events / 4, of: events)
                    syncs.append(limit.syncMicroseconds)
                    return limit.rate
                }
                ledger.close()
                measurement.note =
                    "\(isLarge ? "10 million events" : "empty"): \(measurement.value.short) of "
                    + "\(measurement.limit?.short ?? "-"), a sync \(syncs.median.short) us"
                measurements.append(measurement)
            }
            var worst = measurements.min { $0.value < $1.value } ?? Measurement(values: [0])
            worst.note = measurements.map(\.note).joined(separator: "; ")
            return worst
        }
    }
}
