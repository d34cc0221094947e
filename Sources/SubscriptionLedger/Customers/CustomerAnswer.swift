import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus

/// What a customer is told, and between which instants just that.
struct CustomerAnswer: Sendable {
    let subscriptions: JSONValue
    /// `subscriptions` and what follows from them.
    let members: [JSONValue.Member]
    private let stretch: Range<Instant>
    private let rules: Rules

    /// - Parameter portfolio: nil of whom nothing is known.
    init(of portfolio: Portfolio?, _ question: Question) {
        let holdings = Holdings(of: portfolio, question)
        let states = holdings.lineages.states(at: question.asOf, rules: question.rules)
            .filter { holdings.owned.contains($0.key) }
        subscriptions = .array(states.map(\.json))
        var members = [
            JSONValue.Member("subscriptions", subscriptions),
            JSONValue.Member("nextStep", .string(CustomerNextStep.of(states.map { .init($0) }).rawValue)),
        ]
        if !holdings.tokenConflicts.isEmpty {
            members.append(.init("tokenConflicts", .array(holdings.tokenConflicts.map(\.json))))
        }
        self.members = members
        stretch = portfolio?.stretch(around: question.asOf, rules: question.rules) ?? .always
        rules = question.rules
    }

    func holds(for question: Question) -> Bool {
        stretch.contains(question.asOf) && rules == question.rules
    }
}

extension Portfolio {
    /// From the last instant up to `t` where an answer may change, to the next one.
    fileprivate func stretch(around t: Instant, rules: Rules) -> Range<Instant> {
        // Tokens decide whose a key is.
        let tokens = titles.flatMap { $0.tokens.steps.map(\.source.time) }
        return (lineages.turningPoints(rules: rules) + tokens).reduce(into: .always) { stretch, turn in
            if turn <= t {
                stretch = max(stretch.lowerBound, turn)..<stretch.upperBound
            } else {
                stretch = stretch.lowerBound..<min(stretch.upperBound, turn)
            }
        }
    }
}

extension Range<Instant> {
    fileprivate static let always = Instant(milliseconds: .min)..<Instant(milliseconds: .max)
}

extension SubscriptionKey {
    fileprivate var json: JSONValue {
        .object([
            "environment": .string(environment.rawValue), "bundleId": .string(bundleId),
            "originalTransactionId": .string(originalTransactionId),
        ])
    }
}
