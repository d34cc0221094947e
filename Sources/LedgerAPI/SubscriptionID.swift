package import Primitives

/// The members that name a subscription. Production and Sandbox are separate id spaces.
package struct SubscriptionID: Hashable, Sendable {
    package let environment: String
    package let bundleId: String
    package let originalTransactionId: String

    package init(environment: String, bundleId: String, originalTransactionId: String) {
        self.environment = environment
        self.bundleId = bundleId
        self.originalTransactionId = originalTransactionId
    }

    package var members: [JSONValue.Member] {
        [
            .init("environment", .string(environment)),
            .init("bundleId", .string(bundleId)),
            .init("originalTransactionId", .string(originalTransactionId)),
        ]
    }
}

extension SubscriptionID: Comparable {
    package static func < (left: SubscriptionID, right: SubscriptionID) -> Bool {
        (left.environment, left.bundleId, left.originalTransactionId)
            < (right.environment, right.bundleId, right.originalTransactionId)
    }
}
