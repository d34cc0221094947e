package import AppStoreModel

/// Identifies one purchase history. The App Store gives all its renewals, plan changes and restores the same
/// originalTransactionId. Production and Sandbox have separate id spaces.
package struct SubscriptionKey: Hashable, Sendable {
    package let environment: Environment
    package let bundleId: String
    package let originalTransactionId: String

    package init(environment: Environment, bundleId: String, originalTransactionId: String) {
        self.environment = environment
        self.bundleId = bundleId
        self.originalTransactionId = originalTransactionId
    }
}

extension SubscriptionKey: Comparable {
    /// Compares the bytes of (environment, bundleId, originalTransactionId).
    package static func < (left: SubscriptionKey, right: SubscriptionKey) -> Bool {
        for part in [\SubscriptionKey.environment.rawValue, \.bundleId, \.originalTransactionId] {
            if left[keyPath: part].bytesPrecede(right[keyPath: part]) { return true }
            if right[keyPath: part].bytesPrecede(left[keyPath: part]) { return false }
        }
        return false
    }
}

extension String {
    /// Compares the UTF-8 bytes. `<` on strings compares by Unicode, which other engines need not share.
    func bytesPrecede(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
