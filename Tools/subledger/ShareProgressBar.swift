/// A line on the terminal with the share of work that is done and the remaining time.
final class ShareProgressBar: Sendable {
    private let label: String
    private let start = ContinuousClock.now

    init(_ label: String) {
        self.label = label
    }

    /// - Parameter share: from 0 to 1.
    func show(_ share: Double) {
        var line = "\r\u{1B}[K\(label): \(Int(share * 100)) %"
        if share > 0 {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            line += ", \(Int((seconds / share - seconds).rounded(.up))) s left"
        }
        Terminal.standardError.write(line)
    }

    func clear() {
        Terminal.standardError.write("\r\u{1B}[K")
    }
}
