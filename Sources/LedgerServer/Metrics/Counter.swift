import Synchronization

/// A Prometheus counter with one label.
final class Counter: Sendable {
    private let name: String
    private let help: String
    private let label: String
    private let counts = Mutex<[String: UInt64]>([:])

    init(_ name: String, label: String, help: String) {
        self.name = name
        self.label = label
        self.help = help
    }

    func increment(_ value: String, by count: UInt64 = 1) {
        counts.withLock { $0[value, default: 0] += count }
    }

    func write(to text: inout ExpositionText) {
        text.family(name, .counter, help)
        for (value, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.sample(name, [(label, value)], "\(count)")
        }
    }
}
