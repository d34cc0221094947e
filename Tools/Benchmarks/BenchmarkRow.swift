/// One row of the table: what is measured, in which unit, against which limit, and what is to be reached.
struct BenchmarkRow: Sendable {
    let name: String
    let unit: String
    /// What the limit's code does; nil where there is none to measure.
    let limitName: String?
    let target: Target
    let measure: @Sendable (Progress) async throws -> Measurement

    enum Target: Sendable {
        /// Ours, divided by the limit.
        case ratioAtLeast(Double)
        case valueAtLeast(Double)
        case valueAtMost(Double)
    }

    /// Every row there is, in the order in which they run.
    static let all: [BenchmarkRow] = [
        .verifyNotification, .appendSingle, .appendBatch, .ingestBulk, .getCustomer, .bytesPerNotification, .state,
        .history,
        .open,
    ]

    func run() async throws -> BenchmarkResult {
        let progress = Progress(row: name)
        let result = BenchmarkResult(row: self, measurement: try await measure(progress))
        progress.finish()
        return result
    }
}

/// What one row measured, a number a run and in the row's unit.
struct Measurement: Sendable {
    /// Medians of five are reported, so that one disturbed run counts for nothing.
    static let runs = 5

    var values: [Double]
    var limits: [Double] = []
    var note = ""

    /// Measures ours and the limit by turns, so that what else the machine does falls on both.
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
    /// Of an odd number of values.
    var median: Double { sorted()[count / 2] }
}
