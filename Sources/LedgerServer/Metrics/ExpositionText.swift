import LedgerStorage

/// Prometheus's text format, version 0.0.4. This program defines all names and label values, and none needs escapes.
struct ExpositionText {
    enum Kind: String { case counter, gauge, histogram }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
        let list = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
        text += list.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }

    /// Writes a histogram. Its buckets are cumulative, as the format requires.
    mutating func histogram(
        _ name: String, _ labels: [(String, String)], _ durations: DurationHistogram.Snapshot
    ) {
        var count: UInt64 = 0
        for (bound, inBucket) in zip(DurationHistogram.bounds, durations.counts) {
            count += inBucket
            sample("\(name)_bucket", labels + [("le", "\(bound)")], "\(count)")
        }
        let total = durations.counts.reduce(0, +)
        sample("\(name)_bucket", labels + [("le", "+Inf")], "\(total)")
        sample("\(name)_sum", labels, "\(durations.sum / .seconds(1))")
        sample("\(name)_count", labels, "\(total)")
    }

    mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
        family(name, .gauge, help)
        sample(name, [], "\(value)")
    }
}
