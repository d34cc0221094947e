package import AppStoreModel
package import Primitives

/// Identifies one purchase history. The App Store gives all its renewals, plan changes and restores the same
/// originalTransactionId. Production and Sandbox have separate id spaces.
package struct SubscriptionKey: Hashable, BitwiseCopyable, Sendable {
    package let environment: Environment
    package let bundle: Symbol
    package let originalTransaction: AppleID

    package init(environment: Environment, bundle: Symbol, originalTransaction: AppleID) {
        self.environment = environment
        self.bundle = bundle
        self.originalTransaction = originalTransaction
    }

    /// Interns the texts, so they must not come from unverified input.
    package init(environment: Environment, bundleId: String, originalTransactionId: String) {
        self.init(
            environment: environment, bundle: Symbol(bundleId), originalTransaction: AppleID(originalTransactionId))
    }

    package var bundleId: String { bundle.text }
    package var originalTransactionId: String { originalTransaction.text }
}

extension SubscriptionKey: Comparable {
    /// Compares the bytes of (environment, bundleId, originalTransactionId).
    package static func < (left: SubscriptionKey, right: SubscriptionKey) -> Bool {
        if left.environment != right.environment {
            return left.environment.rawValue.bytesPrecede(right.environment.rawValue)
        }
        if left.bundle != right.bundle { return left.bundleId.bytesPrecede(right.bundleId) }
        return left.originalTransaction < right.originalTransaction
    }
}

extension String {
    /// Compares the UTF-8 bytes. `<` on strings compares by Unicode, which other engines need not share.
    package func bytesPrecede(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
