package import AppStoreModel
import AppStoreTranslation
package import LedgerModel

/// Under what an event can be found. Two keys that Apple joins share a term, so following terms finds a lineage.
package struct IndexTerm: Hashable, Sendable {
    package let bytes: [UInt8]

    /// All events of one purchase history, and those that name it as what they migrated from.
    package static func subscription(_ key: SubscriptionKey) -> IndexTerm {
        IndexTerm("s", [key.environment.rawValue, key.bundleId, key.originalTransactionId])
    }

    /// All events of an originalTransactionId, of whatever app and environment.
    package static func originalTransactionId(_ id: String) -> IndexTerm {
        IndexTerm("o", [id])
    }

    /// All events of one Apple account's download of an app.
    package static func appTransaction(_ id: String, environment: Environment, bundleId: String) -> IndexTerm {
        IndexTerm("a", [environment.rawValue, bundleId, id])
    }

    /// LMDB's keys have 511 bytes; longer terms, which only a hostile id makes, share their first 511.
    package static let byteLimit = 511

    /// Parts are separated by a byte that no UTF-8 text contains.
    private init(_ kind: Unicode.Scalar, _ parts: [String]) {
        var bytes = [UInt8(ascii: kind)]
        for part in parts { bytes += [0xFF] + Array(part.utf8) }
        self.bytes = Array(bytes.prefix(Self.byteLimit))
    }
}

extension FiledObservation {
    /// Every term the observation is found under.
    var indexTerms: [IndexTerm] {
        guard case .subscription(let key) = self.key else {
            guard case .appAccount(let account) = self.key, case .appTransaction(let id) = account.account else {
                return []
            }
            return [.appTransaction(id, environment: account.environment, bundleId: account.bundleId)]
        }
        return [.subscription(key), .originalTransactionId(key.originalTransactionId)] + joints(of: key)
    }

    /// The terms by which keys are joined: what it migrated from, and the Apple account.
    func joints(of key: SubscriptionKey) -> [IndexTerm] {
        let (previous, account): (String?, String?) =
            switch observation.fact {
            case .transaction(let fact): (fact.previousOriginalTransactionId, fact.appTransactionId)
            case .renewal(let fact): (nil, fact.appTransactionId)
            case .notification, .app: (nil, nil)
            }
        var terms: [IndexTerm] = []
        if let previous {
            terms.append(
                .subscription(
                    SubscriptionKey(
                        environment: key.environment, bundleId: key.bundleId, originalTransactionId: previous)))
        }
        if let account {
            terms.append(.appTransaction(account, environment: key.environment, bundleId: key.bundleId))
        }
        return terms
    }
}
