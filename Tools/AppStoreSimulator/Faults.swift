package import Primitives

/// The faults that a simulated App Store makes on purpose.
package struct Faults: Hashable, Sendable {
    /// The shares of notifications, 0 ... 1: never delivered; delivered twice; delivered after later ones.
    package var lose = 0.0
    package var repeats = 0.0
    package var reorder = 0.0
    /// The longest virtual delay of a first delivery, in milliseconds.
    package var delay: Int64 = 0
    /// The longest real time that an answer of the Server API takes, in milliseconds.
    package var slow: Int64 = 0
    /// The virtual time, in milliseconds, for which replicas may answer without the last change.
    package var lag: Int64 = 0
    /// The shares of answers of the Server API that are 429, and 5xx.
    package var status429 = 0.0
    package var status5xx = 0.0
    /// The shares of answers of verifyReceipt that have status 21005, and one from 21100 to 21199.
    package var status21005 = 0.0
    package var status211xx = 0.0
    /// The instant from which another certificate signs.
    package var rotate: Instant?

    package init() {}
}

/// The reason why a list of faults cannot be read.
package struct FaultSyntaxError: Error, Hashable, CustomStringConvertible {
    package let item: String
    package let expected: String

    package init(item: String, expected: String) {
        self.item = item
        self.expected = expected
    }

    package var description: String { "`\(item)` is no fault; expected \(expected)" }
}

extension Faults {
    /// Reads `lose=0.01,delay=6h,rotate=2025-06-01`.
    package init(parsing text: String) throws(FaultSyntaxError) {
        for item in text.split(separator: ",") { try read(String(item)) }
    }

    private mutating func read(_ item: String) throws(FaultSyntaxError) {
        let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw FaultSyntaxError(item: item, expected: "NAME=VALUE") }
        switch parts[0] {
        case "lose": lose = try Self.share(parts[1], item)
        case "repeat": repeats = try Self.share(parts[1], item)
        case "reorder": reorder = try Self.share(parts[1], item)
        case "status429": status429 = try Self.share(parts[1], item)
        case "status5xx": status5xx = try Self.share(parts[1], item)
        case "status21005": status21005 = try Self.share(parts[1], item)
        case "status211xx": status211xx = try Self.share(parts[1], item)
        case "delay": delay = try Self.duration(parts[1], item)
        case "slow": slow = try Self.duration(parts[1], item)
        case "lag": lag = try Self.duration(parts[1], item)
        case "rotate":
            guard let instant = Instant(iso8601: parts[1]) else {
                throw FaultSyntaxError(item: item, expected: "rotate=DATE")
            }
            rotate = instant
        default:
            throw FaultSyntaxError(
                item: item,
                expected: """
                    one of lose, repeat, reorder, delay, slow, lag, status429, status5xx, status21005, status211xx, \
                    rotate
                    """)
        }
    }

    private static func share(_ text: String, _ item: String) throws(FaultSyntaxError) -> Double {
        guard let share = Double(text), (0...1).contains(share) else {
            throw FaultSyntaxError(item: item, expected: "a share from 0 to 1")
        }
        return share
    }

    /// Returns milliseconds.
    private static func duration(_ text: String, _ item: String) throws(FaultSyntaxError) -> Int64 {
        let units: [(suffix: String, milliseconds: Int64)] = [
            ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ]
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let count = Int64(text.dropLast(unit.suffix.count)), (0...1_000_000).contains(count) else { continue }
            return count * unit.milliseconds
        }
        throw FaultSyntaxError(item: item, expected: "a duration such as 200ms, 2s, 5m, 6h or 1d")
    }
}
