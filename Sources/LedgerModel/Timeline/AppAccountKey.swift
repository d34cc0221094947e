package import AppStoreModel
package import Primitives

/// Identifies one download of the app, apart from its purchases.
package struct AppAccountKey: Hashable, Sendable {
    package let environment: Environment
    package let bundle: Symbol
    package let account: Account

    package enum Account: Hashable, Sendable {
        case appTransaction(AppleID)
        /// Receipts, and payloads signed before 2025-02, carry no appTransactionId. All those of one Apple account state
        /// the same first download, to the second; other accounts may state it too.
        case firstDownload(at: Instant, version: Symbol)
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

    /// Whether all data with this key is of one Apple account.
    package var namesAppleAccount: Bool {
        if case .appTransaction = account { true } else { false }
    }
}

extension AppAccountKey: Comparable {
    /// Orders by environment, bundle id and appTransactionId; downloads without one follow, ordered by date and version.
    package static func < (left: AppAccountKey, right: AppAccountKey) -> Bool {
        (left.environment.rawValue, left.bundleId, left.account.text)
            < (right.environment.rawValue, right.bundleId, right.account.text)
    }
}

extension AppAccountKey.Account {
    /// Creates the account of data without an appTransactionId; nil without a date, and in the sandbox, where every
    /// first download has the same date and version.
    init?(firstDownloadAt date: Instant?, version: String?, in environment: Environment) {
        guard environment == .production, let date else { return nil }
        self = .firstDownload(at: date.flooredToSecond, version: version?.symbol ?? .empty)
    }

    fileprivate var text: String {
        switch self {
        case .appTransaction(let id): "a" + id.text
        case .firstDownload(let instant, let version): "d\(instant.iso8601) \(version.text)"
        }
    }
}

extension Instant {
    /// The second that has begun. Receipts state no fractions of it.
    fileprivate var flooredToSecond: Instant {
        Instant(milliseconds: milliseconds.flooringDivided(by: 1_000) * 1_000)
    }
}

/// Identifies the timeline of an observation.
package enum TimelineKey: Hashable, Sendable {
    case subscription(SubscriptionKey)
    case appAccount(AppAccountKey)
}
