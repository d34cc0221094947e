package import AppStoreModel

/// Identifies one download of the app, apart from its purchases.
package struct AppAccountKey: Hashable, Sendable {
    package let environment: Environment
    package let bundleId: String
    package let account: Account

    /// Payloads signed before 2025-02 carry no appTransactionId. They belong to the customer for whom they were posted.
    package enum Account: Hashable, Sendable {
        case appTransaction(AppleID)
        case customer(CustomerHandle)
    }

    package init(environment: Environment, bundleId: String, account: Account) {
        self.environment = environment
        self.bundleId = bundleId
        self.account = account
    }
}

/// Identifies the timeline of an observation.
package enum TimelineKey: Hashable, Sendable {
    case subscription(SubscriptionKey)
    case appAccount(AppAccountKey)
}
