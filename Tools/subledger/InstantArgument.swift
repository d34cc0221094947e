import ArgumentParser
import Primitives

extension Instant: ExpressibleByArgument {
    /// ISO 8601, or milliseconds since 1970.
    package init?(argument: String) {
        if let milliseconds = Int64(argument) {
            let instant = Instant(milliseconds: milliseconds)
            guard instant >= .earliest, instant <= .latest else { return nil }
            self = instant
        } else if let instant = Instant(iso8601: argument) {
            self = instant
        } else {
            return nil
        }
    }
}
