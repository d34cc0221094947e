import AppStoreModel
package import DuePolls
package import LedgerConfiguration
package import Primitives

/// The subscriptions that a command asks Apple about.
package enum PollRequest: Sendable {
    /// All that is due.
    case due
    case subscription(SubscriptionSelector)
}

extension PollRequest {
    package var json: JSONValue {
        guard case .subscription(let selector) = self else { return .object([]) }
        return .object([
            .init("subscription", .string(selector.originalTransactionId)),
            .init("environment", JSONValue(selector.environment?.rawValue)),
            .init("bundleId", JSONValue(selector.bundleId)),
        ])
    }

    /// - Throws: `posting_malformed`.
    package init(_ json: JSONView) throws(CustomerError) {
        try json.requireMembers(["subscription", "environment", "bundleId"])
        guard let id = try json.text(of: "subscription") else {
            self = .due
            return
        }
        self = .subscription(
            SubscriptionSelector(
                originalTransactionId: id,
                environment: try json.text(of: "environment").map(Environment.init(rawValue:)),
                bundleId: try json.text(of: "bundleId")))
    }
}

extension Poller {
    /// - Throws: `StorageError`; `CustomerError` (`subscription_unknown`).
    package func counts(of request: PollRequest) async throws -> Counts {
        switch request {
        case .due: try await round()
        case .subscription(let selector): try await ask(about: selector)
        }
    }
}

extension Poller.Counts {
    package var json: JSONValue {
        .object([
            "polled": JSONValue(polled), "changed": JSONValue(changed), "unchanged": JSONValue(unchanged),
            "failed": JSONValue(failed), "rateLimited": JSONValue(rateLimited),
            "stoppedCalls": .array(stoppedCalls.map(\.explained)),
        ])
    }
}

extension PollPolicy {
    package init(_ settings: Settings.Polling) {
        self.init()
        (afterPeriodEnd, beforePeriodEnd) = (settings.afterPeriodEnd, settings.beforePeriodEnd)
        (retry, retryForDays) = (settings.retry, settings.retryForDays)
    }
}

extension AppStoreConnections {
    /// There is no way to ask Apple.
    package static let none = ConfigurationError(
        "apps", "there is no way to ask Apple about the app", expected: "serverAPI, or sharedSecretFile and a receipt",
        found: "none", hint: keyHint)

    /// No app has a key, so there is no notification history to read.
    package static let noKey = ConfigurationError(
        "apps", "no app has a key for the App Store Server API", expected: "serverAPI", found: "none", hint: keyHint)

    private static let keyHint =
        "Add serverAPI with issuerId, keyId and keyFile to the app, and restart the service if one runs."
}
