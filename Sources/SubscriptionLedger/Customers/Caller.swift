package import AppStoreModel
import LedgerModel

/// The holder of an API key, or the operator of the ledger.
package struct Caller: Sendable {
    package enum Role: String, Sendable {
        /// A key that ships inside an app and is therefore public.
        case app
        case backend
        /// The role of administrators, of an operator at the command line, and of every caller of a ledger without
        /// keys, which listens on loopback only.
        case admin
    }

    package let role: Role
    /// The configured name of the key; nil for a caller without a key.
    package let keyName: String?
    /// The apps and environments that the caller may read and post.
    package let limits: KeyLimits

    package init(_ role: Role, keyName: String? = nil, limits: KeyLimits = KeyLimits()) {
        self.role = role
        self.keyName = keyName
        self.limits = limits
    }

    package static let app = Caller(.app)
    package static let backend = Caller(.backend)
    package static let admin = Caller(.admin)

    /// The strength of the caller's claims for a known customer.
    var authority: Claim.Authority { role == .app ? .app : .backend }
}

/// The limits of an API key to apps and environments. An empty set means no limit.
package struct KeyLimits: Hashable, Sendable {
    package var bundleIds: Set<String>
    package var environments: Set<Environment>

    package init(bundleIds: Set<String> = [], environments: Set<Environment> = []) {
        self.bundleIds = bundleIds
        self.environments = environments
    }

    package func allow(bundleId: String) -> Bool { bundleIds.isEmpty || bundleIds.contains(bundleId) }

    package func allow(_ environment: Environment) -> Bool {
        environments.isEmpty || environments.contains(environment)
    }
}

/// The part of a customer's data that an answer covers. An answer never mixes Production and Sandbox.
package struct CustomerScope: Hashable, Sendable {
    package var environment: Environment
    /// The only app in the answer; nil for every app.
    package var bundleId: String?
    package var limits: KeyLimits

    package init(
        environment: Environment = .production, bundleId: String? = nil, limits: KeyLimits = KeyLimits()
    ) {
        self.environment = environment
        self.bundleId = bundleId
        self.limits = limits
    }

    func contains(_ key: SubscriptionKey) -> Bool {
        key.environment == environment && contains(bundleId: key.bundleId) && limits.allow(key.environment)
    }

    func contains(_ account: AppAccountKey) -> Bool {
        account.environment == environment && contains(bundleId: account.bundleId)
            && limits.allow(account.environment)
    }

    func contains(bundleId other: String) -> Bool {
        bundleId.map { $0 == other } ?? true && limits.allow(bundleId: other)
    }
}
