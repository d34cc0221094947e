/// One row of the table: a measurement, its unit, its limit and its target.
struct BenchmarkRow: Sendable {
    let name: String
    let unit: String
    /// A description of the limit's code; nil when there is no limit to measure.
    let limitName: String?
    let target: Target
    let measure: @Sendable (Progress) async throws -> Measurement

    enum Target: Sendable {
        /// Our value divided by the limit.
        case ratioAtLeast(Double)
        case valueAtLeast(Double)
        case valueAtMost(Double)
    }

    /// Returns all rows, in the order in which they run.
    /// - Parameter events: the number of events in the ledger that a service answers from during a rebuild.
    static func all(events: Int) -> [BenchmarkRow] {
        [
            .verifyNotification, .receipts, .appendSingle, .appendBatch, .ingestBulk, .getCustomer, .getCustomerCold,
            .bytesPerNotification, .state, .history, .open, .scan, .rebuildFold, .rebuildStore,
            .projectRetention, .retentionInDuckDB, .projectChurn, .projectRevenue, .projectRecurringRevenue,
            .projectAll,
            .diff, .demoFeed, .auditVerify, .exportParquet, .exportCSV, .exportMemory,
            .getDuringRebuild(events: events),
        ]
    }

    func run() async throws -> BenchmarkResult {
        let progress = Progress(row: name)
        let result = BenchmarkResult(row: self, measurement: try await measure(progress))
        progress.finish()
        return result
    }
}

/// The measurement of one row: one value per run, in the row's unit.
struct Measurement: Sendable {
    /// The number of runs. The median is reported, so one disturbed run has no effect.
    static let runs = 5

    var values: [Double]
    var limits: [Double] = []
    var note = ""

    /// Measures ours and the limit alternately, so that other load on the machine affects both.
    static func alternating(
        _ progress: Progress, ours: () async throws -> Double, limit: () async throws -> Double
    ) async throws -> Measurement {
        var measurement = Measurement(values: [])
        for run in 1...runs {
            progress.report("run \(run) of \(runs)")
            measurement.limits.append(try await limit())
            measurement.values.append(try await ours())
        }
        return measurement
    }

    var value: Double { values.median }
    var limit: Double? { limits.isEmpty ? nil : limits.median }
    var ratio: Double? { limit.map { value / $0 } }
}

extension [Double] {
    /// The median of an odd number of values.
    var median: Double { sorted()[count / 2] }
}
