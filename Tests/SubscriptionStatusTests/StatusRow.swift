import AppStoreModel
import LedgerModel
import Primitives
import SubscriptionStatus
import Testing

/// Observations, and the answers at some instants: status, access, reason and, if given, the product.
struct StatusRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let observations: [Observation]
    let environment: Environment
    let rules: Rules
    let answers: [(at: Instant, answer: String)]

    init(
        _ name: String, _ observations: [Observation], in environment: Environment = .production,
        rules: Rules = Rules(), at answers: KeyValuePairs<Int, String>
    ) {
        self.init(name, observations, in: environment, rules: rules, atInstants: answers.map { (hour($0), $1) })
    }

    init(
        _ name: String, _ observations: [Observation], in environment: Environment = .production,
        rules: Rules = Rules(), atInstants answers: [(Instant, String)]
    ) {
        testDescription = name
        self.observations = observations
        self.environment = environment
        self.rules = rules
        self.answers = answers
    }

    func check(_ location: SourceLocation = #_sourceLocation) {
        for observations in [observations, observations.reversed()] {
            for (t, expected) in answers {
                let state = state(observations, at: t, environment, rules: rules)
                let words =
                    state.map { ["\($0.status)", "\($0.access)", "\($0.reason)", $0.productId?.text ?? "-"] } ?? [
                        "not", "listed",
                    ]
                let answer = words.prefix(expected.split(separator: " ").count).joined(separator: " ")
                #expect(answer == expected, "at \(t)", sourceLocation: location)
                #expect(state?.entitled == state.map { $0.access != .none }, sourceLocation: location)
            }
        }
    }
}

/// The last millisecond of `number` minutes after an hour.
func minutes(_ number: Int64, after start: Int) -> Instant {
    hour(start).advanced(byMilliseconds: number * 60_000 - 1)
}
