package import AppStoreModel
package import Primitives

/// Identifies one download of the app, apart from its purchases.
package struct AppAccountKey: Hashable, Sendable {
    package let environment: Environment
    package let bundle: Symbol
    package let account: Account

    /// Payloads signed before 2025-02 carry no appTransactionId. They belong to the customer for whom they were posted.
    package enum Account: Hashable, Sendable {
        case appTransaction(AppleID)
        case customer(CustomerHandle)
    }

    package init(environment: Environment, bundle: Symbol, account: Account) {
        self.environment = environment
        self.bundle = bundle
        self.account = account
    }

    /// Interns the bundle id, so it must not come from unverified input.
    package init(environment: Environment, bundleId: String, account: Account) {
        self.init(environment: environment, bundle: Symbol(bundleId), account: account)
    }

    package var bundleId: String { bundle.text }
}

extension AppAccountKey: Comparable {
    /// Orders by environment, bundle id and appTransactionId; downloads without one follow, ordered by customer.
    package static func < (left: AppAccountKey, right: AppAccountKey) -> Bool {
        (left.environment.rawValue, left.bundleId, left.account.text)
            < (right.environment.rawValue, right.bundleId, right.account.text)
    }
}

extension AppAccountKey.Account {
    fileprivate var text: String {
        switch self {
        case .appTransaction(let id): "a" + id.text
        case .customer(let handle): "c" + handle.hex
        }
    }
}

/// Identifies the timeline of an observation.
package enum TimelineKey: Hashable, Sendable {
    case subscription(SubscriptionKey)
    case appAccount(AppAccountKey)
}
