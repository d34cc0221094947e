public import ArgumentParser
public import Primitives
import SubscriptionLedger

extension Instant: ExpressibleByArgument {
    /// Creates an instant from ISO 8601 or milliseconds since 1970.
    public init?(argument: String) {
        self.init(text: argument)
    }
}
