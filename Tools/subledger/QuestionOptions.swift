import AppStoreModel
import ArgumentParser
import Primitives
import SubscriptionLedger

/// Which subscriptions, as of when, knowing what.
struct QuestionOptions: ParsableArguments {
    @Option(name: .customLong("subscription"), help: "An originalTransactionId.")
    var originalTransactionId: String

    @Option(help: "Only in this environment.")
    var environment: Environment?

    @Option(name: .customLong("bundle-id"), help: "Only of this app.")
    var bundleId: String?

    @Option(name: .customLong("as-of"), help: "Valid time, ISO 8601 or milliseconds; by default now.")
    var asOf: Instant?

    @Option(
        name: .customLong("known-at"),
        help: "What was known: a log size (an integer below 10^11) or an instant; by default everything.")
    var knownAt: KnownAtArgument?

    var selector: SubscriptionSelector {
        SubscriptionSelector(
            originalTransactionId: originalTransactionId, environment: environment, bundleId: bundleId)
    }

    var question: Question {
        Question(asOf: asOf ?? SystemClock.now(), knownAt: knownAt?.value)
    }
}

struct KnownAtArgument: ExpressibleByArgument {
    /// Integers from here on are milliseconds: 10^11 ms is 1973, and no log is so long.
    private static let firstInstant: UInt64 = 100_000_000_000

    let value: Question.KnownAt

    init?(argument: String) {
        if let number = UInt64(argument), number < Self.firstInstant {
            value = .size(number)
        } else if let instant = Instant(argument: argument) {
            value = .instant(instant)
        } else {
            return nil
        }
    }
}
