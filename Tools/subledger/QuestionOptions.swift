import AppStoreModel
import ArgumentParser
import LedgerConfiguration
import LedgerModel
import Primitives
import SubscriptionLedger

/// Which subscriptions, as of when, knowing what.
struct QuestionOptions: ParsableArguments {
    @Option(name: .customLong("subscription"), help: "An originalTransactionId.")
    var originalTransactionId: String?

    @Option(help: "Everything of a customer, by the id that you call them.")
    var customer: String?

    @Option(help: "This environment only; by default every one of a subscription, and Production of a customer.")
    var environment: Environment?

    @Option(name: .customLong("bundle-id"), help: "This app only.")
    var bundleId: String?

    @Option(
        name: .customLong("as-of"),
        help: "Valid time: a day, ISO 8601 with its zone, or milliseconds since 1970; by default now.")
    var asOf: Instant?

    @Option(
        name: .customLong("known-at"),
        help: "What was known: a log size (an integer below 10^11) or an instant; by default everything.")
    var knownAt: Question.KnownAt?

    @Option(name: .customLong("rules"), help: "A rules file to answer by (default: the default rules).")
    var rulesFile: String?

    /// Not part of `validate`, which comes before misspelt options are told.
    func requireSelector() throws {
        guard (originalTransactionId == nil) != (customer == nil) else {
            throw Self.usage("Give either --subscription or --customer")
        }
    }

    private static func usage(_ message: String) -> CommandFailure {
        CommandFailure(code: "usage", message: message, hint: "See --help.", exitCode: CommandFailure.usage)
    }

    var question: Question {
        get throws {
            var question = Question(asOf: asOf ?? SystemClock.now(), knownAt: knownAt)
            if let rulesFile { question.rules = try Self.rules(of: rulesFile) }
            return question
        }
    }

    private static func rules(of path: String) throws -> Rules {
        do {
            return try Rules(file: path)
        } catch let error as ConfigurationError {
            throw CommandFailure(error, code: "rules_invalid")
        } catch let failure as InputFailure {
            throw CommandFailure(
                ConfigurationError(path, "the rules cannot be read", found: failure.reason), code: "rules_invalid")
        }
    }

    /// - Throws: `subscription_unknown` when `ofSubscription` answers nothing.
    func answer(
        ofSubscription: (SubscriptionSelector) throws -> JSONValue?,
        ofCustomer: (String, CustomerScope) throws -> JSONValue
    ) throws -> JSONValue {
        if let customer {
            return try ofCustomer(customer, CustomerScope(environment: environment ?? .production, bundleId: bundleId))
        }
        let id = originalTransactionId ?? ""
        let selector = SubscriptionSelector(originalTransactionId: id, environment: environment, bundleId: bundleId)
        guard let answer = try ofSubscription(selector) else { throw CommandFailure.unknownSubscription(id) }
        return answer
    }
}

extension Question.KnownAt: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(text: argument)
    }
}

extension CommandFailure {
    fileprivate static func unknownSubscription(_ id: String) -> CommandFailure {
        CommandFailure(
            code: "subscription_unknown", message: "nothing is known of subscription \(id)",
            expected: "an originalTransactionId that was observed", found: "no observation",
            hint: "`subledger log stat` says what the ledger holds.", exitCode: refused)
    }
}
