import ArgumentParser
import LedgerConfiguration
import Primitives
import SubscriptionLedger

/// The options that select the instant and the state of knowledge of an answer.
struct ClockOptions: ParsableArguments {
    @Option(
        name: .customLong("as-of"),
        help:
            "Instant of the answer: a date (its first instant in UTC), ISO 8601 with a zone, or milliseconds since 1970 (default: now, or the time of the newest event if the clock is behind it)."
    )
    var asOf: Instant?

    @Option(
        name: .customLong("known-at"),
        help: "Log size (below 10^11, at most the current size) or instant (default: all events).")
    var knownAt: AsOfQuery.KnownAt?

    @Option(
        name: .customLong("signed-by"),
        help:
            "Ignore statements that Apple signed after this instant (default: none ignored). signedLater counts purchases and revocations signed only afterwards."
    )
    var signedBy: Instant?

    func question(to ledger: LedgerReader) throws -> AsOfQuery {
        var question = AsOfQuery(asOf: try asOf ?? PresentInstant.of(ledger), knownAt: knownAt)
        question.signedBy = signedBy
        return question
    }
}

/// The options that select the instant, the state of knowledge and the rules of an answer.
struct InstantOptions: ParsableArguments {
    @OptionGroup var clocks: ClockOptions

    @Option(name: .customLong("rules"), help: "Rules file (default: the rules active at --known-at).")
    var rulesFile: String?

    func question(to ledger: LedgerReader) throws -> AsOfQuery {
        var question = try clocks.question(to: ledger)
        if let rulesFile { question.rules = try RulesFile(path: rulesFile).rules }
        return question
    }
}

/// The options that select subscriptions, the instant and the state of knowledge.
struct QuestionOptions: ParsableArguments {
    @Option(name: .customLong("subscription"), help: "The originalTransactionId of the subscription.")
    var originalTransactionId: String?

    @Option(help: "The customer id in your system; selects all subscriptions of the customer.")
    var customer: String?

    @OptionGroup var scope: ScopeOptions

    @OptionGroup var instants: InstantOptions

    /// Requires exactly one selector. `run` calls it, so that ArgumentParser reports misspelt options first.
    func requireSelector() throws {
        guard (originalTransactionId == nil) != (customer == nil) else {
            throw CommandFailure(usage: "Give either --subscription or --customer")
        }
    }

    func question(to ledger: LedgerReader) throws -> AsOfQuery { try instants.question(to: ledger) }

    /// - Throws: `subscription_unknown` when `ofSubscription` returns nil.
    func answer(
        ofSubscription: (SubscriptionSelector) throws -> JSONValue?,
        ofCustomer: (String, CustomerScope) throws -> JSONValue
    ) throws -> JSONValue {
        if let customer { return try ofCustomer(customer, scope.customerScope) }
        let id = originalTransactionId ?? ""
        guard let answer = try ofSubscription(scope.selector(id)) else { throw CommandFailure.unknownSubscription(id) }
        return answer
    }
}

extension AsOfQuery.KnownAt: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(text: argument)
    }
}

extension CommandFailure {
    fileprivate static func unknownSubscription(_ id: String) -> CommandFailure {
        CommandFailure(
            code: "subscription_unknown", message: "subscription not found: \(id)",
            expected: "a known originalTransactionId", found: "an unknown originalTransactionId",
            hint: "Run `subledger log tail` to list recent events and their originalTransactionIds.", exitCode: refused)
    }
}
