import ArgumentParser
import Primitives
import SubscriptionLedger

extension Instant: ExpressibleByArgument {
    /// Creates an instant from ISO 8601 or milliseconds since 1970.
    package init?(argument: String) {
        self.init(text: argument)
    }
}
