import Glibc
import LedgerAPI
import Primitives
import SubscriptionLedger

extension BenchmarkRow {
    /// Answers about customers that no call has asked for yet, rendered as JSON, on one thread.
    static let getCustomerCold = BenchmarkRow(
        name: "get-customer-cold", unit: "µs of CPU a call", limitName: nil, target: .valueAtMost(100)
    ) { progress in
        progress.report("making \(CustomerSample.customers) customers")
        let sample = try await CustomerSample()
        defer { sample.ledger.close() }
        var measurement = Measurement(values: [])
        // Each run has customers of its own.
        let count = CustomerSample.customers / Measurement.runs
        for run in 0..<Measurement.runs {
            progress.report("run \(run + 1) of \(Measurement.runs)")
            measurement.values.append(
                try sample.microsecondsACall(for: run * count..<(run + 1) * count))
        }
        measurement.note = "about 30 observations a customer"
        return measurement
    }
}

extension CustomerSample {
    /// Returns the processor time per answer.
    fileprivate func microsecondsACall(for customers: Range<Int>) throws -> Double {
        let question = AsOfQuery(asOf: Self.now)
        // No other thread works meanwhile. POSIX defines the unit as a microsecond.
        let start = clock()
        var bytes: [UInt8] = []
        for customer in customers {
            bytes.removeAll(keepingCapacity: true)
            try ledger.reader.customer("customer-\(customer)", question).json.write(to: &bytes, canonical: false)
            guard bytes.count > 500 else { throw BenchmarkFailure("the answer has no subscription") }
        }
        return Double(clock() - start) / Double(customers.count)
    }
}
