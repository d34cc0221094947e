import AppStoreModel
import LedgerModel
import Primitives

/// A download of an app that was paid for before the app became free.
struct PaidDownload: Sendable {
    let account: AppAccountKey
    let entitlements: [Symbol]
    /// The end of an app that an organisation can take back; nil otherwise.
    let until: Instant?
}

extension AppDownload {
    /// Whether the app was paid for by `t`, and not taken back: it was bought before it became free. A version that is
    /// not a number, and a date that is not stated, prove nothing. In Sandbox the original version is always 1.0, so it
    /// proves nothing.
    /// https://developer.apple.com/documentation/storekit/supporting-business-model-changes-by-using-the-app-transaction
    func isPaid(_ rule: Catalog.PaidUntil, by t: Instant) -> Bool {
        guard account.environment == .production, let bought = originalPurchaseDate, bought <= t,
            expirationDate.map({ t < $0 }) ?? true
        else { return false }
        if let date = rule.date { return bought < date }
        guard let version = originalApplicationVersion.flatMap(AppVersion.init),
            let free = rule.version.flatMap(AppVersion.init)
        else { return false }
        return version < free
    }

    var originalPurchaseDate: Instant? {
        facts.last { $0.value.originalPurchaseDate != nil }?.value.originalPurchaseDate
    }

    /// The end that the newest receipt states.
    var expirationDate: Instant? { facts.last { $0.source.rank != .jws }?.value.expirationDate }

    private var originalApplicationVersion: String? {
        facts.last { $0.value.originalApplicationVersion != nil }?.value.originalApplicationVersion?.text
    }
}

/// The version of an app: numbers joined by periods, which are compared one after the other.
struct AppVersion: Comparable {
    private let components: [Int]

    /// Creates a version; nil for a text with anything but numbers.
    init?(_ text: String) {
        var components: [Int] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard part.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(part) else { return nil }
            components.append(number)
        }
        // 3.0 equals 3.
        while components.count > 1, components.last == 0 { components.removeLast() }
        self.components = components
    }

    static func < (left: AppVersion, right: AppVersion) -> Bool {
        left.components.lexicographicallyPrecedes(right.components)
    }
}
