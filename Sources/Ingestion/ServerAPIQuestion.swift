package import AppStoreModel
import EventLog
import Primitives

/// A question to the App Store Server API about one app in one environment.
package struct ServerAPIQuestion: Hashable, Sendable {
    package let endpoint: ServerAPIEndpoint
    /// The path and the query.
    package let target: String
    package let bundleId: String
    package let environment: Environment

    package init(_ endpoint: ServerAPIEndpoint, target: String, bundleId: String, environment: Environment) {
        self.endpoint = endpoint
        self.target = target
        self.bundleId = bundleId
        self.environment = environment
    }

    /// The key of an answer. Apple signs each time again, so the same answer twice is rare.
    func idempotencyKey(of answer: Digest) -> IdempotencyKey {
        let words: [String] = [endpoint.rawValue, bundleId, target]
        let text: [UInt8] = words.flatMap { (word: String) -> [UInt8] in Array(word.utf8) + [0] }
        return IdempotencyKey(
            artifact: .serverAPIAnswer, environment: EnvironmentCode(name: environment.rawValue) ?? .none,
            key: text + answer.bytes)
    }

    /// Whether answers to the endpoint name the app and the environment.
    var answerNamesApp: Bool { endpoint == .subscriptionStatuses || endpoint == .transactionHistory }
}
