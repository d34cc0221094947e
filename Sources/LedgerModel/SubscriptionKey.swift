package import AppStoreModel

/// Names one purchase history: the App Store gives every renewal, plan change and restore of it the same
/// originalTransactionId, and ids of Production and Sandbox are separate spaces.
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
    /// By the bytes of (environment, bundleId, originalTransactionId).
    package static func < (left: SubscriptionKey, right: SubscriptionKey) -> Bool {
        for part in [\SubscriptionKey.environment.rawValue, \.bundleId, \.originalTransactionId] {
            if left[keyPath: part].bytesPrecede(right[keyPath: part]) { return true }
            if right[keyPath: part].bytesPrecede(left[keyPath: part]) { return false }
        }
        return false
    }
}

extension String {
    /// Order of the UTF-8 bytes. `<` on strings is that of Unicode, which another engine need not share.
    func bytesPrecede(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
